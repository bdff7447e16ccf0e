"""The admin pages and their assets; the HTML is the same for everybody, and scripts get data from the API."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import PurePosixPath
from uuid import UUID

import flask
from flask import Response, render_template, request
from sqlalchemy.exc import SQLAlchemyError

from blogapi.admin import assets
from blogapi.content.articles.fields import TEXT_FIELDS
from blogapi.docs.assets import CONTENT_TYPES
from blogapi.rendering.players import PLAYERS
from blogapi.site import addresses
from blogapi.site.paths import is_local_address
from blogapi.site.queries import get_site
from blogapi.web.access import ROLES, Role, allow, anyone
from blogapi.web.errors import NotFound
from blogapi.web.operation import get_operation

admin = flask.Blueprint("admin", __name__, url_prefix="/admin", template_folder="templates")

# The preview of an article shows its pictures, which can be at any address that the article names.
_CONTENT_SECURITY_POLICY = (
    "default-src 'self'; img-src 'self' https: data: blob:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
# A Content-Security-Policy cannot contain hosts with other characters, so the editor shows no frame for them.
_ORIGIN = re.compile(r"https?://(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::[0-9]+)?(?=[/?#]|$)", re.IGNORECASE)
# Only browsers may store the files: a shared cache would send the compressed files to every client.
CACHE_CONTROL = "private, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its path below /admin, its name in `data-page`, its title, and its module in `source/pages`.

    A page with an icon has an entry in the menu, in `group`; a page of the group `SETTINGS` has a card on the
    page Settings instead. `menu_entry` is the name of the page whose entry is marked as current; a page with
    neither an icon nor `menu_entry` has no menu. Users of a role below `role` see neither the page nor its
    entry.
    """

    path: str
    name: str
    title: str
    module: str
    icon: str = ""
    group: str = ""
    menu_entry: str = ""
    role: Role = Role.ADMIN


SETTINGS = "Settings"
PAGES = (
    Page("/", "overview", "Overview", "overview", "house", role=Role.AUTHOR),
    Page("/articles/", "articles", "Articles", "articles", "file-text", role=Role.AUTHOR),
    Page("/pages/", "pages", "Pages", "pages", "files", role=Role.EDITOR),
    Page("/media/", "media", "Media", "media", "image", role=Role.AUTHOR),
    Page("/categories/", "categories", "Categories", "terms", "folder", "Organise", role=Role.EDITOR),
    Page("/tags/", "tags", "Tags", "terms", "tag", "Organise", role=Role.EDITOR),
    Page("/authors/", "authors", "Authors", "terms", "pen-line", "Organise", role=Role.EDITOR),
    Page("/site/", "site", "Site", "site", "globe", SETTINGS),
    Page("/users/", "users", "Users", "users", "users", SETTINGS),
    Page("/keys/", "keys", "Keys", "keys", "key-round", SETTINGS, role=Role.AUTHOR),
    Page("/webhooks/", "webhooks", "Webhooks", "webhooks", "webhook", SETTINGS),
    Page("/redirects/", "redirects", "Redirects", "redirects", "signpost", SETTINGS),
    Page("/custom-fields/", "custom-fields", "Custom fields", "custom-fields", "text-cursor-input", SETTINGS),
    Page("/import/", "import", "Import and export", "import", "import", SETTINGS, role=Role.EDITOR),
    Page("/backups/", "backups", "Backups", "backups", "archive", SETTINGS),
    Page("/settings/", "settings", "Settings", "static-page", "settings-2", role=Role.AUTHOR),
    Page("/profile/", "profile", "Profile", "profile", "user", role=Role.READER),
    Page("/site/addresses/", "site", "Site", "site", menu_entry="site"),
    Page("/site/languages/", "site", "Site", "site", menu_entry="site"),
    Page("/export/", "export", "Import and export", "static-page", menu_entry="import", role=Role.EDITOR),
    Page("/keys/connect/", "connect", "Keys", "connect", menu_entry="keys", role=Role.AUTHOR),
    Page("/webhooks/new/", "webhook-form", "New webhook", "webhook-form", menu_entry="webhooks"),
    Page("/webhooks/<id:id>/change/", "webhook-form", "Webhook", "webhook-form", menu_entry="webhooks"),
    Page("/webhooks/<id:id>/", "webhooks", "Webhooks", "webhooks", menu_entry="webhooks"),
    Page("/media/alt/", "media-alt", "Alternative texts", "alt-texts", menu_entry="media", role=Role.AUTHOR),
    Page("/articles/bin/", "articles-bin", "Articles", "bin", menu_entry="articles", role=Role.AUTHOR),
    Page("/pages/bin/", "pages-bin", "Pages", "bin", menu_entry="pages", role=Role.EDITOR),
    Page(
        "/articles/<id:id>/history/", "history", "History", "history", menu_entry="articles", role=Role.AUTHOR
    ),
    Page("/articles/new/", "editor", "New article", "editor", role=Role.AUTHOR),
    Page("/articles/<id:id>/", "editor", "Article", "editor", role=Role.AUTHOR),
    Page("/articles/<id:id>/preview/", "preview", "Preview", "preview", role=Role.AUTHOR),
    Page("/pages/<id:id>/history/", "history", "History", "history", menu_entry="pages", role=Role.EDITOR),
    Page("/pages/new/", "editor", "New page", "editor", role=Role.EDITOR),
    Page("/pages/<id:id>/", "editor", "Page", "editor", role=Role.EDITOR),
    Page("/pages/<id:id>/preview/", "preview", "Preview", "preview", role=Role.EDITOR),
    Page("/welcome/", "welcome", "Welcome", "welcome"),
    Page("/sign-in/", "sign-in", "Sign in", "sign-in"),
    Page("/setup/", "setup", "Set up the blog", "sign-in"),
    Page("/reset/", "reset", "New password", "sign-in"),
    Page("/join/", "join", "Join the blog", "sign-in"),
)
_GROUPS = [
    (group, list(pages))
    for group, pages in groupby(filter(attrgetter("icon"), PAGES), key=attrgetter("group"))
]
# Tuples of a group, the lowest role that sees one of its pages, and its pages. On a phone, the bar shows the
# pages of the first group that all writers see; its menu shows the other pages, settings and profile last.
_MENU = [(group, min((page.role for page in pages), key=ROLES.index), pages) for group, pages in _GROUPS]
_SETTINGS_PAGE_NAMES = {page.name for page in PAGES if page.group == SETTINGS}
# The properties of text fields that the scripts read.
SCRIPT_TEXT_FIELDS = [
    {name: getattr(text, name) for name in ("name", "label", "control", "is_previewed", "default", "choices")}
    for text in TEXT_FIELDS
]
# The titles of the players for videos and sounds, and the patterns of the addresses that become players.
_SCRIPT_PLAYERS = [{"title": player.title, "pattern": player.pattern} for player in PLAYERS]
_PAGES_BY_RULE = {f"{admin.url_prefix}{page.path}": page for page in PAGES}


@allow(anyone)
def page(id: UUID | None = None) -> Response:
    """Return the HTML of a page, which contains no data."""
    rule = request.url_rule
    assert rule is not None, "the view is called for a page only"
    current = _PAGES_BY_RULE[rule.rule]
    config = flask.current_app.config
    preview_origin = _find_preview_origin() if current.module == "editor" else None
    content = render_template(
        "admin/page.html",
        page=current,
        menu=_MENU,
        settings_group=SETTINGS,
        is_setting=(current.menu_entry or current.name) in _SETTINGS_PAGE_NAMES,
        text_fields=SCRIPT_TEXT_FIELDS,
        players=_SCRIPT_PLAYERS,
        digest=assets.get_digest(),
        preview_origin=preview_origin,
        is_local=is_local_address(request.host_url),
        no_bin=not config["BIN_DAYS"],
        no_doors=not config["DOORS"],
        public_reads=config["PUBLIC_READS"],
        shared_seconds=config["SHARED_MAX_AGE"]
        and config["SHARED_MAX_AGE"] + config["STALE_WHILE_REVALIDATE"],
    )
    response = Response(content, content_type="text/html; charset=utf-8")
    frames = f"; frame-src {preview_origin}" if preview_origin else ""
    response.headers["Content-Security-Policy"] = _CONTENT_SECURITY_POLICY + frames
    return response


# The scripts of the pages read the query, so the server accepts any parameters.
get_operation(page).takes_query = True

for _page in PAGES:
    admin.add_url_rule(_page.path, "page", page)


def _find_preview_origin() -> str | None:
    """Return the origin of the site's preview page, which the editor shows in a frame, or None.

    If the database cannot be read, the editor opens without the frame, so that the editor can offer the texts
    that the browser has kept.
    """
    try:
        site = get_site()
    except SQLAlchemyError:
        return None
    found = _ORIGIN.match(addresses.make_absolute_address(site.preview_url, site.url) or "")
    return found[0] if found else None


@admin.get("/assets/<digest>/<path:name>")
@allow(anyone)
def asset(digest: str, name: str) -> Response:
    """Return a module, a style sheet or the icons. A change of a file changes the addresses of all files."""
    if digest != assets.get_digest() or name not in assets.read_files():
        raise NotFound("The admin pages have no such file; load the page again.")
    response = Response(content_type=CONTENT_TYPES[PurePosixPath(name).suffix])
    if request.accept_encodings["gzip"]:
        response.headers["Content-Encoding"] = "gzip"
        response.set_data(assets.compress_file(name))
    else:
        response.set_data(assets.read_files()[name])
    response.headers["Cache-Control"] = CACHE_CONTROL
    return response
