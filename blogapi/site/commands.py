"""The commands `site show` and `site set`."""

from __future__ import annotations

import click
import marshmallow as ma
from flask.cli import AppGroup, with_appcontext

from blogapi.cli import report_problems
from blogapi.parsing import normalize_language
from blogapi.site import queries, service
from blogapi.site.models import NavigationItem
from blogapi.site.schemas import SiteChangesSchema, SiteSchema
from blogapi.web import json
from blogapi.web.errors import Errors, Invalid, flatten_messages
from blogapi.web.fields import Fields

site = AppGroup("site", help="Show and change the title, the addresses and the navigation of the site.")


@site.command("show")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@with_appcontext
def show_site(as_json: bool) -> None:
    """Show the fields of the site."""
    fields: Fields = SiteSchema().dump(queries.get_site())
    if as_json:
        click.echo(json.to_json(fields))
        return
    navigation: list[NavigationItem] = fields.pop("navigation")
    for name, value in fields.items():
        click.echo(f"{name}={json.to_json(value) if isinstance(value, bool) else value}")
    for item in navigation:
        click.echo(f"navigation {item['label']}={item['url']}")


@site.command("set")
@click.argument("fields", nargs=-1, metavar="[FIELD=VALUE]...")
@click.option(
    "--navigation",
    multiple=True,
    metavar="LABEL=URL",
    help="An entry of the navigation. The given entries, in their order, replace all existing entries.",
)
@click.option("--no-navigation", is_flag=True, help="Remove all entries of the navigation.")
@with_appcontext
def change_site(fields: tuple[str, ...], navigation: tuple[str, ...], no_navigation: bool) -> None:
    """Change fields of the site, such as `title=Bread url=https://blog.example`.

    The fields are title, description, language, languages (codes such as `de,fr`), time_zone, url,
    service_url, logo, icon, article_path, page_path, category_path, tag_path, author_path, preview_url,
    built_in (`true` or `false`: whether blogapi itself shows the blog at its `url`) and mcp (`true` or
    `false`: whether assistants may call the blog at `/mcp`). An empty value unsets a field; the language, the
    time zone and the paths cannot be empty.
    """
    changes: Fields = dict(_split_assignment(text, "FIELD=VALUE") for text in fields)
    if "languages" in changes:
        existing = {other["language"]: other for other in queries.get_site().other_languages}
        codes = filter(None, map(str.strip, changes["languages"].split(",")))
        changes["languages"] = [existing.get(normalize_language(code), {"language": code}) for code in codes]
    for name in ("built_in", "mcp"):
        if (text := changes.get(name)) in ("true", "false"):
            changes[name] = text == "true"
    if navigation or no_navigation:
        items = (_split_assignment(text, "LABEL=URL") for text in navigation)
        changes["navigation"] = [{"label": label, "url": url} for label, url in items]
    if not changes:
        raise click.UsageError("Name at least one field, such as title=Bread.")
    with report_problems():
        loaded = _load_changes(changes)
        service.prerender_articles(loaded)
        service.change_site(loaded)
    click.echo(f"Changed {', '.join(changes)}.")


def _split_assignment(text: str, form: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise click.UsageError(f"{text!r} has no equals sign; write {form}.")
    return name, value


def _load_changes(changes: Fields) -> Fields:
    # The schema ignores read-only fields without an error.
    errors: Errors = {
        name: ["Is read-only; omit it."] for name in changes if name in SiteChangesSchema.read_only
    }
    loaded: Fields = {}
    try:
        loaded = SiteChangesSchema().load(changes)
    except ma.ValidationError as error:
        assert isinstance(error.messages, dict)
        errors |= flatten_messages(error.messages)
    if errors:
        raise Invalid("The site is unchanged.", errors=errors)
    return loaded
