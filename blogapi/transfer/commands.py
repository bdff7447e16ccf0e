"""The `import` command."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from uuid import UUID

import click
from flask.cli import with_appcontext

from blogapi.cli import report_problems, show_progress
from blogapi.storage.database import current_time
from blogapi.transfer import folder, identity, queries, reports, service
from blogapi.transfer.article_record import RefusedFile
from blogapi.transfer.imported_authors import read_author_map
from blogapi.transfer.imported_media import MEDIA_RESULTS, list_extensions
from blogapi.transfer.reports import FileReport, Result
from blogapi.transfer.service import Importer
from blogapi.users import queries as users
from blogapi.web.errors import Conflict, NotFound


@click.command("import")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--author",
    help="Name of the user who owns the articles and is the author of files without an author. Default: the "
    "only admin.",
)
@click.option(
    "--author-map",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help='TOML file that renames and merges authors: "name in the files" = "slug or name".',
)
@click.option(
    "--assets",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder in which pictures and other media files are looked up, in addition to the folders of the "
    "site; repeatable.",
)
@click.option("--dry-run", is_flag=True, help="Print the report, but store nothing.")
@click.option(
    "--publish-undated",
    is_flag=True,
    help="Publish files that have neither front matter nor a date. By default they become drafts.",
)
@click.option(
    "--restore-deleted",
    is_flag=True,
    help="Also import files whose articles were deleted in this blog. By default they are skipped.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@with_appcontext
def import_(
    paths: tuple[Path, ...],
    author: str | None,
    author_map: Path | None,
    assets: tuple[Path, ...],
    dry_run: bool,
    publish_undated: bool,
    restore_deleted: bool,
    as_json: bool,
) -> None:
    """Import Markdown, HTML and text files of another blog.

    Reads files and whole folders with the front matter of Jekyll, Hugo, Hexo, Zola, Pelican or Nikola. When
    you run it again, only files that have changed are updated; a file that was moved or renamed is recognised
    by its content. Pictures and other media files that the articles show come into the media library, each
    once. Exits with status 1 if a file was refused.
    """
    with report_problems():
        author_id = _find_author(author)
        targets = _read_author_map(author_map)
        entries = _list_entries(paths)
        importer = Importer(
            author_id,
            _match(entries),
            author_map=targets,
            assets=assets,
            dry_run=dry_run,
            restore_deleted=restore_deleted,
        )
        progress = show_progress(entries, total=len(entries), label="Importing")
        outer_keys = identity.find_outer_keys(entries, importer.matches)
        items = (
            _read(entry, outer_keys.get(entry.key, ""), publish_undated=publish_undated) for entry in progress
        )
        reports = [report for batch in service.make_batches(items) for report in importer.store(batch)]
    _print_json(reports, importer, dry_run) if as_json else _print(reports, importer, dry_run)
    if any(report.result is Result.REFUSED for report in reports):
        raise SystemExit(1)


def _find_author(name: str | None) -> UUID:
    if name is not None:
        return users.get_by_name(name).uuid
    admins = users.list_admins()
    if not admins:
        raise NotFound("There is no admin to own the articles; create one with: user create NAME --admin")
    if len(admins) > 1:
        raise Conflict("There are several admins; choose the owner of the articles with --author NAME.")
    return admins[0].uuid


def _read_author_map(path: Path | None) -> dict[str, str]:
    try:
        return read_author_map(path) if path else {}
    except RefusedFile as error:
        raise click.ClickException(str(error)) from error


def _list_entries(paths: tuple[Path, ...]) -> list[folder.Entry]:
    """Return the files; media files in a folder are taken with the articles that refer to them."""
    media = list_extensions()
    try:
        return [
            entry
            for entry in folder.walk_paths(paths)
            if entry.path in paths or entry.path.suffix[1:].lower() not in media
        ]
    except RefusedFile as error:
        raise click.ClickException(str(error)) from error


def _match(entries: list[folder.Entry]) -> dict[str, str]:
    from blogapi.transfer.markdown import reader

    return identity.match_entries(entries, queries.get_source_digests(), reader.compute_source_digest)


def _read(entry: folder.Entry, outer_key: str, *, publish_undated: bool) -> reports.Item:
    # The module is imported here, so that a server does not load the parsers.
    from blogapi.transfer.markdown import reader

    return reports.read_item(
        entry.key,
        lambda: reader.read_file(
            entry, now=current_time(), publish_undated=publish_undated, outer_key=outer_key
        ),
    )


def _summarize(reports: list[FileReport]) -> str:
    results = _count_results(reports)
    numbers = _count_visibility(reports) | {name: results[name] for name in ("skipped", "refused")}
    return ", ".join(f"{number} {name}" for name, number in numbers.items())


def _count_visibility(reports: list[FileReport]) -> dict[str, int]:
    """Return the numbers of public articles, drafts (including archived articles) and scheduled articles."""
    counter = Counter(report.status for report in reports)
    return {
        "public": counter["published"],
        "drafts": counter["draft"] + counter["archived"],
        "scheduled": counter["scheduled"],
    }


def _count_results(reports: list[FileReport]) -> dict[str, int]:
    counter = Counter(report.result for report in reports)
    return {result.value: counter[result] for result in Result}


def _count_media(reports: list[FileReport]) -> dict[str, int]:
    """Return the numbers of references to media files, by what became of them."""
    found = [report.media for report in reports if report.media]
    return {name: sum(len(getattr(media, name)) for media in found) for name in MEDIA_RESULTS}


def _summarize_media(numbers: dict[str, int]) -> str:
    parts = ", ".join(f"{number:,} {name}" for name, number in numbers.items())
    return f"media      References: {sum(numbers.values()):,} ({parts})."


def _print(reports: list[FileReport], importer: Importer, dry_run: bool) -> None:
    click.echo(f"{_summarize(reports)}.")
    for author in importer.authors.list_reports():
        created = "created, " if author.created else ""
        click.echo(f"author     {author.slug}: {author.name}, {created}articles: {author.articles}")
    for name in sorted(importer.authors.unused_names):
        click.echo(f"author     No file names {name!r}, which is in the author map.")
    media = _count_media(reports)
    if any(media.values()):
        click.echo(_summarize_media(media))
    if media["missing"]:
        click.echo("media      --assets FOLDER names a further folder in which missing files are looked up.")
    for report in reports:
        for note in report.notes:
            click.echo(f"{report.result.value:<9}  {report.key}: {note}")
    results = ", ".join(f"{number} {name}" for name, number in _count_results(reports).items())
    click.echo(f"{len(reports)} files: {results}.{' Nothing was stored (dry run).' if dry_run else ''}")


def _print_json(reports: list[FileReport], importer: Importer, dry_run: bool) -> None:
    document = {
        "summary": _summarize(reports),
        "dry_run": dry_run,
        "counts": _count_results(reports),
        "visibility": _count_visibility(reports),
        "authors": [asdict(author) for author in importer.authors.list_reports()],
        "unused_author_map_names": sorted(importer.authors.unused_names),
        "media": _count_media(reports),
        "files": [asdict(report) for report in reports],
    }
    click.echo(json.dumps(document, ensure_ascii=False))
