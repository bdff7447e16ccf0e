"""The types of settings that other modules use too."""

from __future__ import annotations

import pytest

from blogapi import settings


@pytest.mark.parametrize(
    ("limit", "rates"),
    [
        ("20 per minute", ((20, 60),)),
        ("20/minute", ((20, 60),)),
        ("20 PER 5 Minutes", ((20, 300),)),
        ("1 per second; 5 per hour,50 per day", ((1, 1), (5, 3600), (50, 86_400))),
        ("5 per month | 9 per 2 years", ((5, 2_592_000), (9, 63_072_000))),
    ],
)
def test_a_limit_has_amounts_and_seconds(limit, rates):
    assert settings.parse_rates(limit) == rates


@pytest.mark.parametrize(
    "limit", ["", "20", "per minute", "0 per minute", "-1 per minute", "20 per 0 minutes", "20 per minute;"]
)
def test_a_limit_without_an_amount_or_a_unit_is_refused(limit):
    with pytest.raises(ValueError, match="must be a limit such as '20 per minute'"):
        settings.parse_rates(limit)
