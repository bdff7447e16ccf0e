"""The table of the metrics in the guide."""

from __future__ import annotations

import re

import pytest

from tests.contracts.guide import GUIDE, get_section, get_table
from tests.web.metrics.scrape import PROCESS_METRICS

PAGE = GUIDE / "monitoring.md"


@pytest.mark.sqlite("its write-ahead log")
def test_the_guide_lists_all_metrics(names):
    rows = re.findall(r"^\| `(blogapi_\w+)(?:\{[\w, ]+\})?` \|", get_table(PAGE, "Metrics"), re.MULTILINE)
    assert sorted(rows) == sorted(names - PROCESS_METRICS)
    assert len({*rows}) == len(rows)


def test_the_guide_names_the_labels(scraped, as_reading_admin):
    labels = dict(re.findall(r"`(blogapi_\w+)\{([\w, ]+)\}`", get_section(PAGE, "Metrics")))
    found = dict(re.findall(r"^(blogapi_\w+)\{([^}]+)\}", scraped, re.MULTILINE))
    assert len(found) > 3
    for name, values in found.items():
        if not name.startswith("blogapi_request"):
            assert sorted(labels[name].split(", ")) == sorted(re.findall(r'(\w+)="', values))


def test_promtool_accepts_the_metrics(scraped, run_promtool):
    run_promtool("check", "metrics", text=scraped)
