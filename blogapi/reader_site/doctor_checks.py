"""The checks of `doctor` for the site: addresses that several pages share, and faults of the theme."""

from __future__ import annotations

from collections.abc import Iterator

from flask import Flask

from blogapi.operations.doctor.findings import (
    REGISTERED_CHECKS,
    Finding,
    format_count,
    join_examples,
    make_ok_finding,
    make_problem_finding,
)
from blogapi.reader_site import targets, theme
from blogapi.site.models import Site
from blogapi.site.paths import strip_slash
from blogapi.site.queries import get_site
from blogapi.site.served_paths import find_fixed_page, is_service_path


def init_app(app: Flask) -> None:
    """Register the checks, so that `doctor` runs them."""
    REGISTERED_CHECKS.set(app, (run_site_checks,))


def run_site_checks() -> Iterator[Finding]:
    """Yield findings about the addresses of texts and about the theme, if the site is on."""
    site = get_site()
    if site.built_in:
        yield _check_addresses(site)
        yield from _check_theme()


def _check_addresses(site: Site) -> Finding:
    hidden, seen = list[str](), set[str]()
    for item in targets.list_targets(site):
        path = strip_slash(item.path)
        if path in seen or is_service_path(path) or find_fixed_page(site, path):
            hidden.append(f"{item.path} ({item.kind})")
        seen.add(path)
    if not hidden:
        return make_ok_finding("addresses", "Readers find each item at its address.")
    says = f"Another page is at the address of {format_count(len(hidden), 'item')}: {join_examples(hidden)}."
    return make_problem_finding(
        "addresses", says, "give it another slug, or change the pattern of its kind under Site"
    )


def _check_theme() -> Iterator[Finding]:
    for name, sentence in sorted(theme.get_theme().find_problems().items()):
        yield make_problem_finding(
            "theme", f"theme/{name} is not used: {sentence}", "correct the file, or remove it"
        )
