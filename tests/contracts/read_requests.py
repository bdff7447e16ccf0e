"""The requests that `whole_blogs` sends to both versions of a blog."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

API = "/api/v1/blog/"
READERS = ("anonymous", "author", "admin")
# The fields that only a single article has, and neither lists nor pages.
_SINGLE = ("previous", "next", "related")
_VERSION_FIELDS = "fields=*,content,excerpt,seo,custom,language,authors"
_TERM_FIELDS = (
    *("created", "last_updated", "user", "articles_count", "cover_image", "seo_title", "seo_description"),
    *("og_image", "canonical_url", "language", "head"),
)
#: The fields of terms that `*` does not contain.
TERM_FIELDS = {
    "categories": (*_TERM_FIELDS, "parent", "url"),
    "tags": (*_TERM_FIELDS, "description", "url"),
    "authors": (*(name for name in _TERM_FIELDS if name != "cover_image"), "page_url"),
}
#: Values in filters by custom fields, for types that refuse a text.
CUSTOM_VALUES = {
    **{"number": ("5",), "boolean": ("true", "false"), "date": ("2026-01-31",), "choice": ()},
    **{"article": (), "picture": ("https://x.example/x.png",), "url": ("https://x.example/s",)},
}
TEXTS = {
    "html": '<h2 id="a">One</h2><p onclick="x()">Bread &amp; <b>salt</b></p><script>x</script>',
    "markdown": "# One\n\nBread[^1] and *salt*\n\n[^1]: note\n\nhttps://youtu.be/dQw4w9WgXcQ\n",
    "text": "Bread < salt\n\nhttps://blog.example",
}


@dataclass(frozen=True)
class Request:
    """A request of the owner of this key, of a login (`login`), or without a key (empty)."""

    caller: str
    path: str
    method: str = "GET"
    body: Any = None
    headers: Sequence[tuple[str, str]] = ()

    def __str__(self) -> str:
        return f"{self.method} {self.path} ({self.caller or 'no key'})"


def read_field_names(checkout: Path) -> list[str]:
    """Return the fields of articles that a version's guide page on reading names, and `*` lacks."""
    text = (checkout / "blogapi/docs/guide/reading.md").read_text(encoding="utf-8")
    table = text.partition("\n## Fields\n")[2].partition("\n```")[0]
    cells = re.findall(r"^\| (`.*?`) \|", table, re.MULTILINE)
    names = [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]
    assert {"html", "toc", "head", "related"} <= {*names}
    return names


def list_reads(
    read: Callable[[str], Any], hidden: Mapping[str, Sequence[str]], checkout: Path
) -> Iterator[Request]:
    """Yield the reads of a blog.

    `read` returns the JSON that an admin gets from the former version. `hidden` has by kind the uuids of
    `deleted` articles and terms, and the addresses of `previews`. `checkout` is that of the former version.
    """
    names = read_field_names(checkout)
    for path in _list_paths(read, names, hidden):
        for caller in READERS:
            yield Request(caller, path)
    for path in _list_public_paths(read):
        yield Request("", path)
    for path in (f"{API}articles/author/me/", f"{API}articles/own/"):
        for query in ("", f"?fields=*,{_join(names, _SINGLE)}", "?status=any&page=1&page_size=5"):
            for caller in ("author", "admin"):
                yield Request(caller, f"{path}{query}")
    for path in hidden.get("previews", ()):
        is_page = path.startswith("/preview/")
        for query in ("",) if is_page else ("", f"?fields=*,{_join(names)}"):
            yield Request("", f"{path}{query}", headers=(("Accept", "text/html"),) if is_page else ())
    for content_type, content in TEXTS.items():
        body = {"content": content, "content_type": content_type, "title": "Bread & salt"}
        yield Request("admin", f"{API}render/", "POST", body)


def _join(names: Iterable[str], without: Sequence[str] = ()) -> str:
    return ",".join(name for name in names if name not in without)


def _list_paths(
    read: Callable[[str], Any], names: Sequence[str], hidden: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """Yield the paths of the API that each reader asks."""
    list_names = f"fields=*,{_join(names, _SINGLE)}"
    for kind in ("articles", "pages"):
        all_names = list_names if kind == "pages" else f"fields=*,{_join(names)}"
        items = read(f"{API}{kind}/?status=any&fields=uuid,slug,title")
        yield from _list_filters(f"{API}{kind}/", list_names, items)
        for item in items:
            path = f"{API}{kind}/{item['uuid']}/"
            yield from (
                path,
                f"{path}?{all_names}",
                f"{path}?fields=title,html",
                f"{API}{kind}/{quote(item['slug'])}/",
            )
            yield f"{API}{kind}/?slug={quote(item['slug'])}&{list_names}"
            yield from _list_versions(path, read(f"{path}revisions/"))
        for uuid in hidden.get("deleted", ()):
            path = f"{API}{kind}/{uuid}/"
            yield from (path, f"{path}revisions/", f"{path}revisions/1/")
    yield from _list_article_filters(read, list_names)
    for kind, fields in TERM_FIELDS.items():
        path, query = f"{API}{kind}/", f"fields=*,{','.join(fields)}"
        yield from (
            path,
            f"{path}?{query}",
            f"{path}?page=1&page_size=3",
            f"{path}?q=e",
            f"{path}?ordering=name",
        )
        yield from (f"{path}?ordering=-articles", f"{path}?used=never", f"{path}?used=hidden")
        yield from (f"{path}?similar=true", f"{path}?fields=name,articles_by_status")
        items = read(f"{path}?fields=uuid,slug")
        for uuid in [*(item["uuid"] for item in items), *hidden.get("deleted", ())]:
            yield from (f"{path}{uuid}/", f"{path}{uuid}/?{query}", f"{path}{uuid}/?fields=articles")
        for item in items:
            yield from (f"{path}{quote(item['slug'])}/", f"{path}?slug={quote(item['slug'])}")
    yield from (f"{API}media/", f"{API}media/?page=1&page_size=2")
    for item in read(f"{API}media/"):
        yield from (f"{API}media/{item['uuid']}/", f"{API}media/{item['uuid']}/uses/")
    yield from (f"{API}site/", f"{API}fields/", f"{API}article-counts/", f"{API}article-counts/?q=bread")
    yield from (f"{API}archive/", f"{API}redirects/", f"{API}redirects/own/", f"{API}redirects/?path=/old/")
    for form in ("netlify", "nginx", "nginx-temporary", "nginx-gone"):
        yield f"{API}redirects/?format={form}"
    yield from (f"{API}changes/?since=0", f"{API}changes/?since=0&limit=3", f"{API}changes/?since=now")


def _list_filters(path: str, list_names: str, items: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Yield the lists of articles or of pages."""
    yield from (path, f"{path}?{list_names}", f"{path}?status=any&{list_names}", f"{path}?fields=title,html")
    yield from (f"{path}?page={page}&page_size=3" for page in (1, 2, 1000))
    yield from (f"{path}?working_copy={value}&{list_names}" for value in ("true", "false"))
    for status in ("draft", "published", "scheduled", "unlisted", "archived", "any"):
        yield from (f"{path}?status={status}", f"{path}?status={status}&page=1&page_size=2&fields=*,html")
    orderings = [f"{sign}{name}" for name in ("published_at", "last_updated", "title") for sign in ("", "-")]
    for ordering in orderings:
        yield from (
            f"{path}?ordering={ordering}",
            f"{path}?status=any&ordering={ordering}&page=1&page_size=4",
        )
    yield f"{path}?ordering={'position' if path.endswith('pages/') else '-featured'}"
    for name in ("published_after", "published_before", "updated_after"):
        yield from (f"{path}?{name}={year}-01-01T00:00:00Z" for year in (2010, 2020, 2998))
    yield from (
        f"{path}?featured=true",
        f"{path}?featured=false",
        f"{path}?language=de",
        f"{path}?language=en",
    )
    yield f"{path}?translation_key=rye&fields=*,translations"
    yield f"{path}?{urlencode([('uuid', item['uuid']) for item in items[:30]])}"
    fields = "*,excerpt" if path.endswith("pages/") else "*,snippet,excerpt"
    words = dict.fromkeys(word for item in items for word in re.findall(r"\w{3,}", item["title"])[:2])
    for word in ["bread", "rye", "the", "not there", "c++", *[*words][:15]]:
        query = urlencode({"q": word})
        yield from (
            f"{path}?{query}&fields={fields}",
            f"{path}?{query}&status=any&page=1&page_size=3",
        )


def _list_article_filters(read: Callable[[str], Any], list_names: str) -> Iterator[str]:
    """Yield the lists of articles by terms and custom fields, and what else can be filtered by terms."""
    path = f"{API}articles/"
    for name, kind in (("category", "categories"), ("tag", "tags"), ("author", "authors")):
        slugs = [quote(item["slug"]) for item in read(f"{API}{kind}/?fields=slug")][:12]
        for slug in slugs:
            yield from (
                f"{path}?{name}={slug}&{list_names}",
                f"{path}?{name}={slug}&status=any&page=1&page_size=3",
            )
            yield from (f"{path}?{name}={slug}&q=e&ordering=title", f"{API}archive/?{name}={slug}")
            yield f"{API}article-counts/?{name}={slug}"
            if name != "author":
                yield f"{path}?not_{name}={slug}"
            if name == "category":
                yield f"{path}?category={slug}&exact=true"
        if name == "tag":
            yield from (f"{path}?tags_all={one}&tags_all={two}" for one, two in pairwise(slugs))
    for field in read(f"{API}fields/"):
        for value in [*CUSTOM_VALUES.get(field["type"], ("a text",)), *field["choices"]]:
            yield f"{path}?custom.{field['name']}={quote(value)}&fields=title,custom"


def _list_versions(path: str, revisions: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the paths below that of an article or a page."""
    yield from (f"{path}revisions/", f"{path}revisions/?{_VERSION_FIELDS}")
    yield from (f"{path}working-copy/", f"{path}preview/")
    for revision in revisions:
        version = f"{path}revisions/{revision['number']}/"
        yield from (version, f"{version}?{_VERSION_FIELDS}", f"{version}compare/")


def _list_public_paths(read: Callable[[str], Any]) -> Iterator[str]:
    """Yield the paths that need no key."""
    queries = ["", "?language=de", "?language=all"]
    for name, kind in (("category", "categories"), ("tag", "tags"), ("author", "authors")):
        queries += [f"?{name}={quote(item['slug'])}" for item in read(f"{API}{kind}/?fields=slug")[:3]]
    for form in ("rss.xml", "atom.xml", "feed.json"):
        yield from (f"/feeds/{form}{query}" for query in queries)
    yield from ("/sitemap.xml", "/sitemap-1.xml", "/robots.txt", f"{API}articles/")


def list_writes(read: Callable[[str], Any], hidden: Mapping[str, Sequence[str]]) -> Iterator[Request]:
    """Yield writes, and a read after each: the restored articles, published edits and new titles.

    `read` and `hidden` are those of `list_reads`.
    """
    for uuid in hidden.get("deleted", ()):
        yield from _write_and_read("POST", f"{API}articles/{uuid}/", "restore/")
    for kind in ("articles", "pages"):
        items = read(f"{API}{kind}/?status=any&fields=uuid,working_copy,title&ordering=title")
        for item in items:
            path = f"{API}{kind}/{item['uuid']}/"
            if item["working_copy"]:
                yield from _write_and_read("POST", path, "working-copy/publish/")
            elif read(f"{path}revisions/"):
                yield from _write_and_read("POST", path, "revisions/1/restore/")
        for item in items[:5]:
            path = f"{API}{kind}/{item['uuid']}/"
            yield from _write_and_read("PUT", path, "", read(path))
            yield from _write_and_read("PATCH", path, "", {"title": f"{item['title'][:200]} & more"})
            yield from _write_and_read(
                "PATCH", path, "", {"content": "<p>Other bread</p>", "content_type": "html"}
            )
            yield from _write_and_read("DELETE", path, "")
    for kind in TERM_FIELDS:
        for item in read(f"{API}{kind}/?fields=uuid,name")[:3]:
            path = f"{API}{kind}/{item['uuid']}/"
            yield from _write_and_read("PATCH", path, "", {"name": f"{item['name']} & more"})
    for path in (f"{API}articles/?fields=*,excerpt,links,head&status=any", f"{API}changes/?since=0"):
        yield Request("admin", path)


def _write_and_read(method: str, path: str, action: str, body: Any = None) -> Iterator[Request]:
    yield Request("write", f"{path}{action}", method, body)
    yield Request("admin", f"{path}?fields=*,created,last_updated,head")
    yield Request("anonymous", path)
