"""Import on the command line."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from uuid import UUID

import click
from flask.cli import with_appcontext

from blogapi import clock
from blogapi.cli import progress, report_problems
from blogapi.transfer import folder, service
from blogapi.transfer.article_record import RefusedFile
from blogapi.transfer.service import Outcome, Result
from blogapi.users import queries as users
from blogapi.web.errors import Conflict, NotFound


@click.command("import")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--author", help="Who the articles belong to; without, the only admin.")
@click.option("--dry-run", is_flag=True, help="Say what would happen, and store nothing.")
@click.option(
    "--publish-undated",
    is_flag=True,
    help="Publish files without front matter and without a date, which are drafts otherwise.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@with_appcontext
def import_(
    paths: tuple[Path, ...], author: str | None, dry_run: bool, publish_undated: bool, as_json: bool
) -> None:
    """Take in folders of Markdown with front matter (Jekyll, Hugo, Hexo, Zola).

    A second run changes nothing but what has changed in the files. Exit status 1 when a file was refused.
    """
    with report_problems():
        owner = _author(author)
        found = _found(paths)
        outcomes = [
            _take(owner, entry, dry_run=dry_run, publish_undated=publish_undated)
            for entry in progress(found, total=len(found), label="Importing")
        ]
    _print_json(outcomes, dry_run) if as_json else _print(outcomes, dry_run)
    if any(outcome.result is Result.REFUSED for outcome in outcomes):
        raise SystemExit(1)


def _author(name: str | None) -> UUID:
    if name is not None:
        return users.get_by_name(name).uuid
    admins = users.list_admins()
    if not admins:
        raise NotFound("Articles need an author; create one first: user create NAME --admin")
    if len(admins) > 1:
        raise Conflict("There are several admins; say whose articles these are: --author NAME")
    return admins[0].uuid


def _found(paths: tuple[Path, ...]) -> list[folder.Entry]:
    try:
        return list(folder.all_files(paths))
    except RefusedFile as error:
        raise click.ClickException(str(error)) from error


def _take(owner: UUID, entry: folder.Entry, *, dry_run: bool, publish_undated: bool) -> Outcome:
    # Imported where it is needed: a server reads no Markdown files.
    from blogapi.transfer.markdown import reader

    now = clock.now()
    return service.take(
        owner,
        entry.key,
        lambda: reader.read_file(entry, now=now, publish_undated=publish_undated),
        dry_run=dry_run,
    )


def _summary(outcomes: list[Outcome]) -> str:
    numbers = _visibility(outcomes) | {name: _counts(outcomes)[name] for name in ("skipped", "refused")}
    return ", ".join(f"{number} {name}" for name, number in numbers.items())


def _visibility(outcomes: list[Outcome]) -> dict[str, int]:
    """Return how many articles everybody can read, nobody can, and everybody will."""
    counted = Counter(outcome.status for outcome in outcomes)
    return {
        "public": counted["published"],
        "drafts": counted["draft"] + counted["archived"],
        "scheduled": counted["scheduled"],
    }


def _counts(outcomes: list[Outcome]) -> dict[str, int]:
    counted = Counter(outcome.result for outcome in outcomes)
    return {result.value: counted[result] for result in Result}


def _print(outcomes: list[Outcome], dry_run: bool) -> None:
    click.echo(f"{_summary(outcomes)}.")
    for outcome in outcomes:
        for note in outcome.notes:
            click.echo(f"{outcome.result.value:<9}  {outcome.key}: {note}")
    told = ", ".join(f"{number} {name}" for name, number in _counts(outcomes).items())
    click.echo(f"{len(outcomes)} files: {told}.{' Nothing was stored (dry run).' if dry_run else ''}")


def _print_json(outcomes: list[Outcome], dry_run: bool) -> None:
    files = [
        {
            "key": outcome.key,
            "result": outcome.result.value,
            "status": outcome.status,
            "notes": list(outcome.notes),
        }
        for outcome in outcomes
    ]
    report = {
        "summary": _summary(outcomes),
        "dry_run": dry_run,
        "counts": _counts(outcomes),
        "visibility": _visibility(outcomes),
        "files": files,
    }
    click.echo(json.dumps(report, ensure_ascii=False))
