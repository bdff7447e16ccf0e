"""Writes the site into a folder, as files that any static host can serve, even below a path.

The pages show what a reader without a key sees, from one snapshot of the database. The pictures are copied
after the snapshot was released, because copying pictures can take long. The digests of the written files are
stored in the instance folder, so that the next build recognises the files of this build.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from html import unescape
from pathlib import Path
from posixpath import splitext
from typing import Any, cast
from urllib.parse import quote, unquote, urlsplit, urlunsplit
from uuid import UUID

from flask import current_app, g

from blogapi.cli import ProgressReporter, hide_progress
from blogapi.content.articles.lists.conditions import ArticleFilters
from blogapi.content.custom_fields.definitions import list_definitions
from blogapi.content.media import file_references, resized_copies, types
from blogapi.content.media.addresses import parse_copy_format
from blogapi.content.media.folder import get_folder
from blogapi.content.media.stored_files import StoredFile
from blogapi.delivery.archive import list_months
from blogapi.delivery.feeds import formats as feeds
from blogapi.delivery.feeds import sitemap
from blogapi.delivery.feeds.entries import Feed, get_feed
from blogapi.delivery.redirects import formats as redirect_formats
from blogapi.delivery.redirects import queries as redirects
from blogapi.delivery.redirects.custom.targets import find_redirect_chain, get_local_path
from blogapi.delivery.redirects.formats import RedirectLine
from blogapi.exporting.export_files import MediaFile, TextFile
from blogapi.exporting.file_names import fold_name
from blogapi.exporting.results import ExportReport
from blogapi.exporting.writers import OutputFolder, read_manifest
from blogapi.publication.kinds import TERM_KINDS
from blogapi.publication.visibility import ItemType
from blogapi.reader_site import documents, pages, templating, theme
from blogapi.reader_site.pages import Edition, HtmlPage
from blogapi.rendering.html_links import make_link_pattern
from blogapi.site.addresses import make_home_paths, make_term_path
from blogapi.site.models import Site
from blogapi.site.paths import strip_slash
from blogapi.site.queries import cache_site, get_service_url, get_site
from blogapi.site.served_paths import ARCHIVE_PATH, SitePage, find_serving_errors, make_month_path
from blogapi.storage import connections, files
from blogapi.storage.database import db, end_read
from blogapi.web.access import STRANGER
from blogapi.web.errors import Conflict, Invalid
from blogapi.web.fields import WithAttributes
from blogapi.web.media_addresses import FILE_PATH, FILE_PREFIX

MANIFEST_FOLDER = "site-builds"

_FEED_FORMATTERS: Mapping[str, Callable[[Feed], bytes]] = {
    "atom.xml": feeds.format_atom_feed,
    "rss.xml": feeds.format_rss_feed,
    "feed.json": feeds.format_json_feed,
}
_ROBOTS_TEXT = "User-agent: *\nDisallow:\n\nSitemap: {url}/sitemap.xml\n"
# The template values with documents that contain addresses, and the fields of these documents with addresses.
_DOCUMENTS = ("article", "articles", "item", "related", "site")
_ADDRESS_FIELDS = ("avatar", "cover_image", "icon", "logo", "url")

_LINK = make_link_pattern('([^"<>]*+)')
_MEDIA_PATH = re.compile(rf"{FILE_PREFIX}([^/?#\s\"'<>]+)")
_RESERVED_WINDOWS_NAME = re.compile(
    r'.*[<>:"\\|?*\x00-\x1f].*|.*[. ]|(con|prn|aux|nul|(com|lpt)[0-9¹²³])(\..*)?', re.IGNORECASE | re.DOTALL
)
_MAX_NAME_BYTES = 255


def build_static_copy(
    folder: Path,
    *,
    url: str = "",
    unlisted: bool = False,
    overwrite: bool = False,
    progress: ProgressReporter = hide_progress,
) -> ExportReport:
    """Write the site into the folder; `url` is the address of the copy (default: the address of the site).

    `left_out` of the report counts the unlisted texts and the redirects to them, even if `unlisted` is set.
    Raises Invalid if the site cannot be shown at the address, and Conflict if the folder cannot be used.
    """
    name = sha256(os.fsencode(folder.resolve())).hexdigest()
    manifest = Path(current_app.instance_path, MANIFEST_FOLDER, f"{name}.txt")
    end_read()
    try:
        connections.disable_timeouts(db.session.connection())
        stored = get_site()
        site = _switch_to_site_of_copy(stored, url or stored.url)
        if not overwrite and not manifest.exists() and folder.exists() and any(folder.iterdir()):
            raise Conflict(
                "This folder contains files that no build of this blog has written. Empty the folder, or use "
                "--overwrite, which keeps the files that this build does not write."
            )
        manifest.parent.mkdir(mode=0o700, exist_ok=True)
        with files.lock_file(manifest.with_suffix(".lock")) as is_locked:
            if not is_locked:
                raise Conflict(f"Another build is writing into {folder}; wait until it has ended.")
            folder.mkdir(parents=True, exist_ok=True)
            report, media, former = ExportReport(), get_folder().root, read_manifest(manifest)
            written = OutputFolder(
                folder, media, report, manifest, former, overwrite=overwrite, action="build"
            )
            written.write_files(_SiteCopier(stored, site, report, unlisted=unlisted).list_files(progress))
    finally:
        end_read()
    return report


def _switch_to_site_of_copy(stored: Site, url: str) -> Site:
    """Return the site with the address of the copy; in this transaction, `get_site` returns it too."""
    if not url:
        raise Invalid("The copy needs its address: use --url, such as --url https://blog.example.")
    site = cast(Site, WithAttributes(stored, url=url, service_url=url, built_in=True))
    if errors := find_serving_errors(site, may_have_path=True):
        raise Invalid("The site cannot be written.", errors=errors)
    g.caller = STRANGER
    # Reading the definitions of custom fields reads the stored site, so read them before `cache_site`.
    list_definitions()
    return cache_site(site)


def make_file_name(path: str) -> str:
    """Return the name of the file at a decoded path: `x/index.html` for `/x/` and `/x`, or `x.js`."""
    name = path.strip("/")
    return name if splitext(path)[1] else f"{name}/index.html".lstrip("/")


class _SiteCopier:
    """Makes the files of the copy; `stored` is the site as it is served, `site` has the copy's address."""

    def __init__(self, stored: Site, site: Site, report: ExportReport, *, unlisted: bool) -> None:
        self._site, self._report, self._unlisted = site, report, unlisted
        self._edition = Edition(site, theme.get_theme().words, urlsplit(site.url).path, is_static=True)
        self._former_url, self._former_root = stored.url, urlsplit(stored.url).path
        self._services = {site.url, stored.url, stored.service_url, get_service_url(stored)} - {""}
        #: for each file and folder, by its case-folded name: its name, and whether it is a file
        self._names: dict[str, tuple[str, bool]] = {}
        self._media, self._linked_terms = set[str](), set[str]()
        #: the paths of unlisted texts in the copy, without a slash at the end
        self._unlisted_paths = set[str]()

    def list_files(self, progress: ProgressReporter) -> Iterator[TextFile | MediaFile]:
        """Yield all files; pages first, because the copy has only the terms and pictures that pages show."""
        for list_targets in (self._list_targets, self._list_term_targets):
            targets = [*list_targets()]
            for target in progress(targets, total=len(targets), label="Building"):
                yield from self._make_target_files(target)
        for language in ("", *(other["language"] for other in self._site.other_languages)):
            yield from self._make_feed_files({"language": language} if language else {})
        yield from self._make_page("/404.html", pages.make_missing_page(self._edition, self._site.language))
        if "/" not in (homes := make_home_paths(self._site)).values():
            yield from self._make_redirect_page("/", self._edition.make_address(next(iter(homes.values()))))
        yield from self._make_redirect_files()
        yield from self._make_other_files()
        assert get_site() is self._site, "all pages are from one transaction"
        end_read()
        for path in progress(sorted(self._media), total=len(self._media), label="Copying files"):
            yield from self._make_media_file(path)

    def _list_targets(self) -> Iterator[SitePage]:
        """Yield all targets except terms; if two targets have the same address, the first one gets it."""
        for language, path in make_home_paths(self._site).items():
            yield SitePage("home", unquote(path), language=language)
        yield SitePage("archive", ARCHIVE_PATH)
        for one in list_months({}):
            year, month = one["year"], one["month"]
            yield SitePage("month", make_month_path(year, month), year=year, month=month)
        for kind in (ItemType.PAGE.value, ItemType.ARTICLE.value):
            listed, _ = documents.list_published_items(("uuid", "url"), ArticleFilters(type=kind))
            unlisted = documents.list_unlisted_items(kind)
            self._unlisted_paths |= {strip_slash(unquote(urlsplit(one["url"]).path)) for one in unlisted}
            for item in (*listed, *(unlisted if self._unlisted else ())):
                path = unquote(item["url"].removeprefix(self._site.url))
                yield SitePage(kind, path, UUID(item["uuid"]))

    def _list_term_targets(self) -> Iterator[SitePage]:
        """Yield the terms that the written pages show; other terms can reveal words of drafts."""
        for kind in TERM_KINDS:
            names = ("uuid", "slug", "articles_count", *(["parent"] if kind == "category" else []))
            for term in pages.list_used_terms(documents.list_terms(kind, *names), self._linked_terms):
                path = make_term_path(self._site, kind, uuid=term["uuid"], slug=term["slug"])
                yield SitePage(kind, unquote(path), UUID(term["uuid"]))

    def _make_target_files(self, target: SitePage) -> Iterator[TextFile]:
        """Yield the files of all pages of a target, for example of each page of a list."""
        page = pages.make_target_page(self._edition, target)
        yield from self._make_page(target.path, page)
        for number in range(2, page.values["pager"]["count"] + 1):
            other = replace(target, number=number)
            yield from self._make_page(other.own_path, pages.make_target_page(self._edition, other))
        if target.kind in TERM_KINDS:
            yield from self._make_feed_files(pages.make_term_feed_filters(target.kind, page.values["item"]))
        if article := page.values.get("article"):
            terms = (article.get("category"), *article.get("tags", ()), *article.get("authors", ()))
            self._linked_terms |= {term["uuid"] for term in terms if term}

    def _make_page(self, path: str, page: HtmlPage) -> Iterator[TextFile]:
        values = {name: self._rewrite_links(page.values[name]) for name in _DOCUMENTS if name in page.values}
        html = theme.render_page(replace(page, values={**page.values, **values}))
        origin = self._site.url.removesuffix(self._edition.root)
        html = templating.replace_site_addresses(html, origin)
        yield from self._make_file(make_file_name(path), html.encode())

    def _make_feed_files(self, filters: dict[str, str]) -> Iterator[TextFile]:
        path = pages.make_feed_address(self._edition, filters).removeprefix(self._edition.root)
        folder = path.removesuffix("atom.xml")
        feed = get_feed(filters, path, self._rewrite_html)
        for name, to_bytes in _FEED_FORMATTERS.items():
            own = replace(feed, feed_url=f"{self._site.url}{folder}{name}")
            yield from self._make_file(unquote(f"{folder}{name}").strip("/"), to_bytes(own))

    def _rewrite_links(self, value: Any, name: str = "") -> Any:
        """Return the value with each address in it replaced by an address that works in the copy."""
        if isinstance(value, dict):
            return {
                key: one if key == "head" else self._rewrite_links(one, key) for key, one in value.items()
            }
        if isinstance(value, list):
            shown = (one for one in value if name != "navigation" or not self._is_hidden(one["url"]))
            return [self._rewrite_links(one, name) for one in shown]
        if isinstance(value, str) and name == "html":
            return self._rewrite_html(value)
        return self._rewrite_address(value) if value and name in _ADDRESS_FIELDS else value

    def _rewrite_html(self, html: str) -> str:
        """Return the HTML of a text with addresses that work in the copy, without links to omitted pages."""

        def omit_link(link: re.Match[str]) -> str:
            return link[4] if self._is_hidden(unescape(link[2])) else link[0]

        return templating.edit_addresses(_LINK.sub(omit_link, html), self._rewrite_address)

    def _is_hidden(self, address: str) -> bool:
        """Return whether the address, in any spelling, leads to an unlisted text that the copy omits."""
        if self._unlisted:
            return False
        spellings = (address, self._rewrite_address(self._remove_host(address)))
        return any(get_local_path(one, self._site.url) in self._unlisted_paths for one in spellings)

    def _remove_host(self, address: str) -> str:
        """Return the address without its host if it is an address of the site as it is served."""
        path = get_local_path(address, self._former_url)
        if path is None or not f"{path}/".startswith(f"{unquote(self._former_root)}/"):
            return address
        parts = urlsplit(address)
        return urlunsplit(("", "", parts.path or "/", parts.query, parts.fragment))

    def _rewrite_address(self, address: str) -> str:
        """Return an address for the copy: paths and addresses of media files get the path of the copy."""
        for service in self._services:
            if FILE_PATH.fullmatch(path := address.removeprefix(service)):
                return f"{self._edition.root}{path}"
        if not address.startswith("/") or address.startswith("//"):
            return address
        former = f"{self._former_root}/"
        return f"{self._edition.root}/{address.removeprefix(former if address.startswith(former) else '/')}"

    def _make_redirect_files(self) -> Iterator[TextFile]:
        """Yield the file `_redirects` and redirect pages for redirects within the copy and to other sites."""
        site, root, unlisted = self._site, unquote(self._edition.root), 0
        rows = redirects.list_redirects(None, site, unlisted=True).rows
        lines = redirect_formats.choose_redirect_lines(map(self._rewrite_redirect, rows), site.url)
        targets, kept = {strip_slash(unquote(line.old)): line.new for line in lines}, list[RedirectLine]()
        for line in lines:
            chain = find_redirect_chain(line.new, site.url, targets.get)
            end = chain[-1] if chain else ""
            unlisted += end in self._unlisted_paths
            is_elsewhere = not f"{end}/".startswith(f"{root}/")
            if not end or end in targets or is_elsewhere or self._has_path(end.removeprefix(root)):
                kept.append(line)
        self._report.left_out = {"texts": len(self._unlisted_paths), "redirects": unlisted}
        if kept:
            text = "".join(map(redirect_formats.format_netlify_line, kept))
            yield from self._make_file("_redirects", text.encode())
        for line in kept:
            path = unquote(line.old).removeprefix(root)
            if splitext(path)[1].lower() not in ("", ".html", ".htm") or self._has_path(path):
                continue
            if line.new:
                yield from self._make_redirect_page(path, line.new)
            else:
                language = pages.choose_language(site, path)
                page = pages.make_missing_page(self._edition, language, line.status)
                yield from self._make_page(path, page)

    def _rewrite_redirect(self, row: redirects.Redirect) -> redirects.Redirect:
        """Return the redirect with paths below the address of the copy."""
        if row.old.startswith("/"):
            row = replace(row, old_url=self._rewrite_address(quote(row.old)))
        if row.kind == redirects.CUSTOM_KIND and row.new:
            row = replace(row, new=self._rewrite_address(self._remove_host(row.new)))
        return row

    def _has_path(self, path: str) -> bool:
        """Return whether the copy has a file at a decoded path; a media file at the path is copied later."""
        if FILE_PATH.fullmatch(path):
            self._media.add(path)
            return True
        name = make_file_name(path)
        return self._names.get(fold_name(name)) == (name, True)

    def _make_redirect_page(self, path: str, url: str) -> Iterator[TextFile]:
        template = templating.get_built_in_environment().get_template("redirect.html")
        page = template.render(language=self._site.language, url=url)
        yield from self._make_file(make_file_name(path), page.encode())

    def _make_other_files(self) -> Iterator[TextFile]:
        body = sitemap.get_sitemap()
        yield from self._make_file("sitemap.xml", body)
        for number in re.findall(rb"/sitemap-([0-9]+)\.xml</loc></sitemap>", body):
            yield from self._make_file(f"sitemap-{int(number)}.xml", sitemap.get_sitemap_part(int(number)))
        yield from self._make_file("robots.txt", _ROBOTS_TEXT.format(url=self._site.url).encode())
        yield from self._make_file("style.css", templating.read_style_sheet().encode())
        for name, path in theme.get_theme().served_files.items():
            yield from self._make_file(name, path.read_bytes())

    def _make_media_file(self, path: str) -> Iterator[TextFile | MediaFile]:
        """Yield the file of the library with this path, if the file exists."""
        name, source = path.strip("/"), _find_media_file(path)
        if source is None or not self._claim_file_name(name):
            return
        if source.parent.name == source.stem[:2]:
            size, extension = source.stat().st_size, source.suffix.removeprefix(".")
            yield MediaFile(name, StoredFile(source.stem, extension, size))
        else:
            yield TextFile(name, source.read_bytes())

    def _make_file(self, name: str, content: bytes) -> Iterator[TextFile]:
        """Yield the file unless another file has its name; record its pictures, which are copied later."""
        if self._claim_file_name(name):
            # A style sheet of the theme can have another encoding than UTF-8.
            text = content.decode("utf-8", "replace") if name.endswith((".html", ".xml", ".css")) else ""
            paths = (unquote(unescape(one[0])) for one in _MEDIA_PATH.finditer(text))
            self._media |= {path for path in paths if FILE_PATH.fullmatch(path)}
            yield TextFile(name, content)

    def _claim_file_name(self, name: str) -> bool:
        """Reserve a file name and return True, or report why no file can have the name and return False."""
        parts = name.split("/")
        folders = ["/".join(parts[:end]) for end in range(1, len(parts))]
        wanted = {fold_name(one): (one, False) for one in folders} | {fold_name(name): (name, True)}
        for key, one in wanted.items():
            known = self._names.get(key)
            if known and (known != one or one[1]):
                self._report.add_refused_file(
                    name, f"{known[0]} has this name, or a name that differs only in case."
                )
                return False
        if any(map(_is_invalid_name, parts)):
            self._report.add_refused_file(
                name, "File systems do not allow this name; change the slug or the pattern."
            )
            return False
        self._names |= wanted
        return True


def _find_media_file(path: str) -> Path | None:
    """Return the file with this path, or the file that has replaced it."""
    found: Path | str | None = path
    while isinstance(found, str):
        _, _, hash, name = found.split("/")
        extension = name.rpartition(".")[2]
        if extension not in types.get_types_by_extension(current_app):
            return None
        if (copy_format := parse_copy_format(name)) is not None:
            found = resized_copies.find_or_make_copy(hash, copy_format, is_limited=False)
        else:
            file = get_folder().get_path(hash, extension)
            found = file if file.is_file() else file_references.find_new_path(found)
    return found


def _is_invalid_name(part: str) -> bool:
    is_reserved = os.name == "nt" and _RESERVED_WINDOWS_NAME.fullmatch(part)
    return (
        part in ("", ".", "..") or "\0" in part or len(part.encode()) > _MAX_NAME_BYTES or bool(is_reserved)
    )
