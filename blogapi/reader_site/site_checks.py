"""What `doctor` says about the site: texts that another page hides, and a theme that cannot be used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from flask import Flask

from blogapi.operations.doctor.findings import OTHER_CHECKS, Finding, count_things, join_examples, ok, wrong
from blogapi.reader_site import targets, theme
from blogapi.site.models import Site
from blogapi.site.paths import without_slash
from blogapi.site.queries import get_site
from blogapi.site.served_paths import find_fixed_page, is_service_path


def init_app(app: Flask) -> None:
    """Let `doctor` run the checks."""
    OTHER_CHECKS.set(app, (run_checks,))


def run_checks() -> Iterator[Finding]:
    """Yield findings about the addresses of texts and about the theme, if the site is on."""
    site = get_site()
    if site.built_in:
        yield _check_addresses(site)
        yield from _check_theme()


def _check_addresses(site: Site) -> Finding:
    items = list(targets.list_paths(site))
    counts = Counter(without_slash(path) for _, _, path in items)
    hidden = []
    for kind, uuid, path in items:
        is_shared = counts[without_slash(path)] > 1 or find_fixed_page(site, path) is not None
        target = targets.find_target(site, path) if is_shared else None
        if is_service_path(path) or (target and target.uuid != uuid):
            hidden.append(f"{path} ({kind})")
    if not hidden:
        return ok("addresses", "Readers find each item at its address.")
    says = f"Another page is at the address of {count_things(len(hidden), 'item')}: {join_examples(hidden)}."
    return wrong("addresses", says, "give it another slug, or change the pattern of its kind under Site")


def _check_theme() -> Iterator[Finding]:
    for name, sentence in sorted(theme.THEME.get().get().find_problems().items()):
        yield wrong("theme", f"theme/{name} is not used: {sentence}", "correct the file, or remove it")
