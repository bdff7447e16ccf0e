"""The `import` command."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO
from uuid import UUID
from zoneinfo import ZoneInfo

import click
from flask.cli import with_appcontext

from blogapi.accounts.users.queries import get_user_by_name, list_admins
from blogapi.cli import report_problems, show_progress
from blogapi.content.custom_fields.definitions import detach_definitions
from blogapi.content.custom_fields.schemas import READERS
from blogapi.importing import queries
from blogapi.importing.format_api.source import DEFINE_NONE, UNREAD_RULE_CHOICES, UNREAD_RULES_DRAFT
from blogapi.importing.formats import foreign_code, registry
from blogapi.importing.refusals import RefusedFile
from blogapi.storage.database import allow_long_write_waits, current_time
from blogapi.web.errors import Conflict, NotFound

if TYPE_CHECKING:
    from blogapi.importing.pipeline.run import ImportRun


def _check_format_name(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Return the name of an installed format; raises BadParameter for any other name."""
    if value is not None and value not in registry.list_format_names():
        raise click.BadParameter(f"{value!r} is not one of {', '.join(registry.list_format_names())}.")
    return value


@click.command("import")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--format",
    "format_name",
    metavar="FORMAT",
    callback=_check_format_name,
    help="Format of all files. Default: each file is recognised by its content.",
)
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
@click.option(
    "--base-url",
    default="",
    metavar="URL",
    help="Former address of the blog. Links to it lead to the imported articles. Default: the address in "
    "the files, if they contain one.",
)
@click.option(
    "--category-from",
    multiple=True,
    metavar="FIELD",
    help="Front matter field that names the category, or `folder` or `section` for the folder of the "
    "file; repeatable.",
)
@click.option(
    "--tags-from",
    multiple=True,
    metavar="FIELD",
    help="Further front matter field that names tags, or `folder` or `section` for the folder of the "
    "file; repeatable.",
)
@click.option(
    "--pages",
    type=click.Choice(("keep", "skip")),
    default="keep",
    show_default=True,
    help="Import pages as pages, or skip them.",
)
@click.option(
    "--post-type",
    "post_types",
    multiple=True,
    metavar="NAME",
    help="Further post type of WordPress that is imported, with its name as a tag; repeatable.",
)
@click.option(
    "--define-fields",
    type=click.Choice((DEFINE_NONE, *READERS)),
    default=DEFINE_NONE,
    show_default=True,
    help="Define custom fields for the fields in front matter and WordPress that have no custom field yet, "
    "readable by everyone or by admins. The types of the custom fields follow from the values.",
)
@click.option(
    "--unread-rules",
    type=click.Choice(UNREAD_RULE_CHOICES),
    default=UNREAD_RULES_DRAFT,
    show_default=True,
    help="How to import new articles that a plugin may have hidden by rules that are not in the files.",
)
@click.option(
    "--publish-marked",
    multiple=True,
    metavar="NAME",
    help="Name of a wrong guess in the report, such as `shortcode:am4show`; its articles are published. "
    "Repeatable; later imports of the blog remember the names, and `none` forgets them.",
)
@click.option("--dry-run", is_flag=True, help="Print the report, but store nothing.")
@click.option(
    "--publish-undated",
    is_flag=True,
    help="Publish files that have neither front matter nor a date, and notes of Obsidian that do not say "
    "whether they are public. By default they become drafts.",
)
@click.option(
    "--restore-deleted",
    is_flag=True,
    help="Also import files whose articles were deleted in this blog. By default they are skipped.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--restricted", is_flag=True, hidden=True, help="Run for a user who is not an admin.")
@click.option("--marked-file", hidden=True, type=click.File(), help="JSON list for --publish-marked.")
@click.option(
    "--background",
    "background_report",
    hidden=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Run for a server: write the JSON report into this file, and progress to standard output.",
)
@with_appcontext
def import_(
    paths: tuple[Path, ...],
    format_name: str | None,
    author: str | None,
    author_map: Path | None,
    assets: tuple[Path, ...],
    dry_run: bool,
    restore_deleted: bool,
    restricted: bool,
    as_json: bool,
    background_report: Path | None,
    publish_marked: tuple[str, ...],
    marked_file: TextIO | None,
    **options: Any,
) -> None:
    """Import the articles of another blog, with their pictures, authors, tags and former addresses.

    Reads exports of WordPress, Ghost, Blogger, Medium, Substack, Notion and blogapi, and Markdown, HTML and
    text files with front matter of Jekyll, Hugo, Hexo, Zola or Pelican. Each PATH is a file, a folder or a
    zip archive. Another import of the same PATH updates only what has changed. Exits with status 1 if a file
    was refused, or if an article that was edited here shows a text that the former blog hides.
    """
    # Imported here, so that a server, which registers this command too, does not load the importers.
    from blogapi.importing.format_api.report import Result
    from blogapi.importing.format_api.source import ImportOptions
    from blogapi.importing.pipeline import background, report_output, run_setup
    from blogapi.importing.storing.custom_fields import CustomFieldFinder
    from blogapi.importing.storing.service import Importer
    from blogapi.importing.storing.state import read_author_map
    from blogapi.parsing import normalize_language
    from blogapi.site.queries import get_site

    @contextmanager
    def open_import() -> Iterator[ImportRun]:
        importer = Importer(
            _get_owner_uuid(author),
            author_map=read_author_map(author_map) if author_map else {},
            assets=assets,
            dry_run=dry_run,
            restore_deleted=restore_deleted,
            restricted=restricted,
            publish_marked=json.load(marked_file) if marked_file else publish_marked,
        )
        site = get_site()
        reader_options = ImportOptions(
            now=current_time(),
            language=normalize_language(site.language),
            time_zone=ZoneInfo(site.time_zone),
            assets=assets,
            custom_fields=CustomFieldFinder(detach_definitions()),
            roots=queries.get_root_folders(),
            imported_keys=queries.get_imported_keys(),
            **options,
        )
        opened = run_setup.open_run(paths, importer, reader_options, format_name=format_name)
        with allow_long_write_waits(), opened as run:
            yield run

    if background_report:
        background.run_import(
            open_import, background_report, dry_run=dry_run, input=sys.stdin.buffer, output=sys.stdout
        )
        return
    try:
        with report_problems(), foreign_code.exit_on_signals(), open_import() as run:
            run.import_sources(show_progress)
    except RefusedFile as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        for part in report_output.format_json_report(run, dry_run=dry_run):
            click.echo(part, nl=False)
        click.echo()
    else:
        click.echo("\n".join(report_output.format_text_report(run, dry_run=dry_run)))
    if any(report.result is Result.REFUSED or report.hidden_there for report in run.reports):
        raise SystemExit(1)


def _get_owner_uuid(name: str | None) -> UUID:
    if name is not None:
        return get_user_by_name(name).uuid
    admins = list_admins()
    if not admins:
        raise NotFound("There is no admin to own the articles; create one with: user create NAME --admin")
    if len(admins) > 1:
        raise Conflict("There are several admins; choose the owner of the articles with --author NAME.")
    return admins[0].uuid
