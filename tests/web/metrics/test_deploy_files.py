"""The files for Prometheus and Grafana that ship with blogapi."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

import blogapi
from tests.contracts.guide import GUIDE, get_table

FOLDER = Path(blogapi.__file__).parent / "docs" / "deploy"
ALERTS, DASHBOARD, CONFIGURATION = (
    FOLDER / name for name in ("alerts.yaml", "grafana.json", "prometheus.yaml")
)
PAGE = GUIDE / "monitoring.md"


def read_rules():
    (group,) = yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
    return group["rules"]


def list_panels():
    return json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]


def list_expressions(panels):
    return [target["expr"] for panel in panels for target in panel.get("targets", ())]


def find_names(expressions):
    """Return the names of metrics of blogapi; those of the samples of a histogram without their suffix."""
    found = re.findall(r"\b(?:blogapi|process)_\w+", "\n".join(expressions))
    return {re.sub("(request_seconds)_(bucket|sum|count)$", r"\1", name) for name in found}


def test_the_alerts_name_metrics_that_exist(names):
    used = find_names(rule["expr"] for rule in read_rules())
    assert len(used) > 10
    assert used <= names


def test_each_alert_says_what_happened_and_what_to_do():
    rules = read_rules()
    assert len({rule["alert"] for rule in rules}) == len(rules) > 10
    for rule in rules:
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert {*rule["annotations"]} == {"summary", "description"}


def test_each_alert_is_in_the_guide():
    rows = re.findall(r"^\| `(\w+)` \|", get_table(PAGE, "Alerts"), re.MULTILINE)
    assert rows == [rule["alert"] for rule in read_rules()]


def test_the_dashboard_names_metrics_that_exist(names):
    dashboard = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    queries = [variable["query"] for variable in dashboard["templating"]["list"]]
    assert queries[0] == "prometheus"
    used = find_names([*list_expressions(dashboard["panels"]), queries[1]["query"]])
    assert len(used) > 15
    assert used <= names


def test_the_panels_have_unique_ids_and_do_not_overlap():
    panels = list_panels()
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (x, y)
        for position in (panel["gridPos"] for panel in panels)
        for x in range(position["x"], position["x"] + position["w"])
        for y in range(position["y"], position["y"] + position["h"])
    ]
    assert len({*cells}) == len(cells)
    assert max(x for x, _ in cells) == 23
    for panel in panels:
        if panel["type"] != "row":
            source = {"type": "prometheus", "uid": "${datasource}"}
            assert all(part["datasource"] == source for part in (panel, *panel["targets"]))


def test_the_configuration_of_prometheus_fits():
    configuration = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))
    assert configuration["rule_files"] == [ALERTS.name]
    (job,) = configuration["scrape_configs"]
    assert [*job["http_headers"]] == ["X-API-KEY"]
    jobs = set(re.findall(r'job="(\w+)"', ALERTS.read_text(encoding="utf-8")))
    jobs |= set(re.findall(r'job="(\w+)"', "\n".join(list_expressions(list_panels()))))
    assert jobs == {job["job_name"]}


@pytest.mark.once
def test_each_alert_rings(run_promtool):
    assert f"{len(read_rules())} rules found" in run_promtool("check", "rules", str(ALERTS))
    tests = Path(__file__).parent / "alerts_test.yaml"
    run_promtool("test", "rules", str(tests))
    text = tests.read_text(encoding="utf-8")
    assert {rule["alert"] for rule in read_rules()} == set(re.findall(r"- alertname: (\w+)", text))


def test_promtool_accepts_the_queries_of_the_dashboard(run_promtool, tmp_path):
    rules = [
        {"record": f"query_{number}", "expr": re.sub(r"\$__rate_interval", "1m", expression)}
        for number, expression in enumerate(list_expressions(list_panels()))
    ]
    file = tmp_path / "rules.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}), encoding="utf-8")
    assert f"{len(rules)} rules found" in run_promtool("check", "rules", str(file))
