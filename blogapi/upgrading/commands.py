"""The commands `upgrade` and `rollback`."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from blogapi import blog_folder, create_app
from blogapi.cli import report_problems
from blogapi.storage import migration_names
from blogapi.upgrading import rollback as rollback_steps
from blogapi.upgrading import service
from blogapi.upgrading.service import BlogState, UpgradeCheckResult
from blogapi.version import __version__

_RELEASE_HEADING = re.compile(r"^## \[(\d+\.\d+\.\d+)\].*$", re.MULTILINE)

# The heading of the part for users of earlier versions, in the section of the first release.
_BEFORE_FIRST_HEADING = "### If you ran a checkout before 1.0"


def read_release_notes(former: str | None) -> str:
    """Return the sections of the changelog about the releases after `former`, up to this version.

    If `former` is None (a version before 1.0), the part for users of such versions comes first.
    """
    sections = dict(_read_changelog_sections())
    if former is None:
        _, heading, first = sections.pop("1.0.0", "").partition(_BEFORE_FIRST_HEADING)
        return f"{heading}{first}\n\n{read_release_notes('1.0.0')}".strip()
    texts = (
        text
        for version, text in sections.items()
        if _parse_version(former) < _parse_version(version) <= _parse_version(__version__)
    )
    return "\n\n".join(texts)


def _read_changelog_sections() -> Iterator[tuple[str, str]]:
    text = next((path.read_text(encoding="utf-8") for path in _list_changelog_paths() if path.is_file()), "")
    headings = list(_RELEASE_HEADING.finditer(text))
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    for heading, end in zip(headings, ends, strict=False):
        yield heading[1], text[heading.start() : end].strip()


def _list_changelog_paths() -> list[Path]:
    """Return the possible paths of the changelog; a built package contains a copy of it."""
    built = Path(blog_folder.__file__).with_name("CHANGELOG.md")
    return [built, *([blog_folder.CHECKOUT / "CHANGELOG.md"] if blog_folder.CHECKOUT else [])]


def _parse_version(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


@click.command()
@click.option("--check", is_flag=True, help="Upgrade a copy, report what differs, and change nothing.")
@click.option(
    "--url", default="", help="With --check: address of the running service, to compare its answers."
)
@click.option("--key", default="", help="With --url: API key for the requests.")
@click.option("--json", "as_json", is_flag=True, help="With --check: print JSON.")
def upgrade(check: bool, url: str, key: str, as_json: bool) -> None:
    """Upgrade the blog to this version of blogapi.

    A copy of the database is made first; `rollback` restores it. `serve` upgrades the blog too, and answers
    requests with 503 during the upgrade.
    """
    if (url or as_json) and not check:
        raise click.UsageError("--url and --json need --check.")
    instance = blog_folder.require_blog_with_database()
    with report_problems():
        state = service.read_blog_state(instance)
        if check:
            _check_upgrade(instance, state, url, key, as_json)
            return
        service.delete_abandoned_copies(instance)
        if state.is_current:
            click.echo("The blog is up to date.")
            return
        _print_versions(state)
        if obstacle := service.find_obstacle_to_rollback(instance):
            click.echo(f"This upgrade cannot be undone, because {obstacle}.", err=True)
        started = time.monotonic()
        create_app()
        click.echo(f"Upgraded the blog in {time.monotonic() - started:.1f} seconds.")
        copy = service.find_upgrade_copy(instance)
        # A copy with another schema is from an earlier upgrade; this upgrade then made no copy.
        if copy and copy.migration == state.migration:
            click.echo(f"A copy from before the upgrade is in {copy.path}.")
            click.echo(f"Go back with `{blog_folder.get_command()} rollback`.")


def _print_versions(state: BlogState) -> None:
    former, last = state.version or "a version before 1.0", migration_names.list_migrations()[-1]
    click.echo(f"From {former} (schema {state.migration}) to {__version__} (schema {last}).")
    if notes := read_release_notes(state.version):
        click.echo(f"\n{notes}\n")


def _check_upgrade(instance: Path, state: BlogState, url: str, key: str, as_json: bool) -> None:
    result = service.check_upgrade(instance, state, create_app, url=url, key=key)
    if as_json:
        versions = {"former": state.version, "schema": state.migration, "is_current": state.is_current}
        notes = read_release_notes(state.version)
        click.echo(json.dumps(versions | asdict(result) | {"notes": notes}, ensure_ascii=False))
        return
    _print_versions(state)
    click.echo(f"The upgrade of a copy took {result.seconds:.1f} seconds; nothing was changed.")
    if result.needed:
        needed, free = result.needed / 1024**2, result.free / 1024**2
        click.echo(f"The upgrade needs {needed:,.1f} MB of disk space; {free:,.1f} MB are free.")
    if obstacle := service.find_obstacle_to_rollback(instance):
        click.echo(f"This upgrade cannot be undone, because {obstacle}.")
    _print_differences(result, bool(url))


def _print_differences(result: UpgradeCheckResult, has_answers: bool) -> None:
    if result.stored is None:
        click.echo("Stored articles: the former version stored them in a way that cannot be compared.")
    elif not result.stored:
        click.echo("Stored articles: no reader sees a difference.")
    else:
        click.echo("Stored articles that differ for readers, by field:")
        for name, number in sorted(result.stored.items()):
            click.echo(f"  {name}: {number:,}")
    if result.rights is None:
        click.echo("Rights: unknown for the former version, because it is older than 1.0.")
    elif not result.rights:
        click.echo("Rights: unchanged.")
    else:
        click.echo("Rights that differ:")
        for line in result.rights:
            click.echo(f"  {line}")
    if has_answers:
        click.echo("Answers that differ:" if result.answers else "Answers: unchanged.")
        for line in result.answers:
            click.echo(f"  {line}")


@click.command()
@click.option("--no-export", is_flag=True, help="Do not export what was written since the upgrade.")
@click.option(
    "--force", is_flag=True, help="Go back even if several versions have used the blog since the copy."
)
def rollback(no_export: bool, force: bool) -> None:
    """Restore the copy of the database that was made before the last upgrade.

    Stop the service first. What was written since the upgrade is exported, and can be imported when the
    former version of blogapi is installed. The state after the upgrade is also kept in `backups`.
    """
    instance = blog_folder.require_blog_with_database()
    with report_problems():
        rollback_steps.delete_staging_folders(instance)
        copy = rollback_steps.get_upgrade_copy(instance)
        rollback_steps.check_rollback_possible(instance, copy)
        if not force:
            rollback_steps.refuse_later_versions(instance, copy)
        changes = None if no_export else rollback_steps.export_changes(instance, copy, create_app)
        saved = rollback_steps.restore_upgrade_copy(instance, copy)
    click.echo(f"Restored {copy.path} (schema {copy.migration}). The state after the upgrade is in {saved}.")
    version = changes.version if changes else None
    former = f"blogapi=={version}" if version else "the version of blogapi that you used before the upgrade"
    click.echo(f"Now install {former}; this version would upgrade the blog again.")
    if changes is not None:
        _print_changes(changes)


def _print_changes(changes: rollback_steps.ExportedChanges) -> None:
    if changes.report.public + changes.report.drafts + changes.report.media:
        numbers = ", ".join(f"{kind}: {number:,}" for kind, number in changes.numbers.items())
        click.echo(f"Written since the upgrade: {numbers}. With all pages, categories, tags and authors, in")
        click.echo(f"  {changes.folder}")
        click.echo(f"Then run `{blog_folder.get_command()} import {changes.folder}`.")
        click.echo("The import skips articles that the blog already has; to replace one, delete it first.")
    if changes.redirects:
        command = f"{blog_folder.get_command()} redirect import {changes.redirects_path}"
        click.echo(f"Redirects written since the upgrade: {changes.redirects:,}. Then run `{command}`.")
    for kind, names in changes.lost.items():
        click.echo(f"New {kind}, which are lost: {', '.join(names)}.")
