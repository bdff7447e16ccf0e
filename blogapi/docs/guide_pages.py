"""The pages of the guide, rendered from the Markdown files in `guide/`."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import unescape
from pathlib import Path

from blogapi.rendering import renderer
from blogapi.rendering.plain_text import to_plain_text
from blogapi.web import json as web_json

# The pages, grouped by task, in the order of the navigation. The first page is shown at `/docs/`.
PAGE_GROUPS = {
    "Start": ("index", "first-week", "built-in-site"),
    "Write": ("writing", "media", "roles", "site", "assistants"),
    "Build a front end": (*("build-a-front-end", "front-ends", "reading", "client", "changes", "webhooks"),),
    "Move in and leave": (
        *("importing", "wordpress", "ghost", "hosted-blogs", "markdown-blogs"),
        *("write-an-importer", "leaving"),
    ),
    "Run it": (
        *("server", "services", "containers", "monitoring", "backups", "upgrading", "troubleshooting"),
        *("postgresql", "cdn"),
    ),
    "Reference": ("operating", "releases", "performance"),
}
PAGE_NAMES = tuple(name for names in PAGE_GROUPS.values() for name in names)

# Maps the name of each former page to the path of the section that has its content now.
MOVED_PAGES = {
    **{name: f"hosted-blogs/#{name}" for name in ("blogger", "medium", "notion", "substack")},
    **{name: f"markdown-blogs/#{name}" for name in ("hugo", "jekyll")},
    "frameworks": "front-ends/#with-a-framework",
    "interface": "releases/#the-interface",
    "typed-clients": "client/#typed-clients",
}

_FOLDER = Path(__file__).parent / "guide"

# A heading with its level, its id and its content.
HEADING_PATTERN = re.compile(r'<h([123]) id="([^"]+)">((?:[^<]++|<(?!/?h[123]))*+)</h\1>')
# The start of the addresses of pictures in the Markdown files; these addresses also work on GitHub.
_PICTURE_PREFIX = "../static/"
_CODE_SAMPLE = re.compile(
    r'(?<=<pre><code class="language-)(\w+)">((?:[^<]++|<(?!/code>|pre>))*+)(?=</code></pre>)'
)
_PAGE_LINK = re.compile(r'(?<=<a href=")([\w-]+)\.md(?=[#"])')


@dataclass(frozen=True, slots=True)
class Section:
    """A second-level heading of a page; the title is sanitized HTML."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class GuidePage:
    """A page of the guide; `html` is sanitized."""

    name: str
    title: str
    html: str
    sections: tuple[Section, ...]

    @property
    def url(self) -> str:
        """The path of the page on the server."""
        return _get_page_url(self.name)


@cache
def list_pages() -> tuple[GuidePage, ...]:
    """Return all pages in the order of the navigation."""
    return tuple(map(_render_page, PAGE_NAMES))


def _render_page(name: str) -> GuidePage:
    markdown = (_FOLDER / f"{name}.md").read_text(encoding="utf-8")
    html = renderer.render_text(markdown, "markdown").html
    html = html.replace(f'src="{_PICTURE_PREFIX}', 'src="/docs/static/')
    html = _PAGE_LINK.sub(lambda link: _get_page_url(link[1]), html)
    html = _CODE_SAMPLE.sub(_highlight_sample, html)
    sections = tuple(Section(id, title) for level, id, title in HEADING_PATTERN.findall(html) if level == "2")
    title = markdown.partition("\n")[0].removeprefix("# ")
    return GuidePage(name, title, html, sections)


def _highlight_sample(sample: re.Match[str]) -> str:
    """Return the code with HTML for each token; it is unchanged if Pygments does not know the language."""
    # Importing Pygments needs 7 MB of memory, and many servers never show the guide, so it is imported here.
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    language, code = sample.groups()
    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return sample[0]
    return f'{language}">{highlight(unescape(code), lexer, HtmlFormatter(nowrap=True))}'


def _get_page_url(name: str) -> str:
    return "/docs/" if name == PAGE_NAMES[0] else f"/docs/{name}/"


@cache
def make_search_index() -> bytes:
    """Return the search index, an entry for each section of the guide, as JSON compressed with gzip."""
    entries = [entry for page in list_pages() for entry in _list_search_entries(page)]
    return gzip.compress(web_json.to_json_bytes(entries), mtime=0)


def _list_search_entries(page: GuidePage) -> Iterator[dict[str, str]]:
    headings = [*HEADING_PATTERN.finditer(page.html)]
    ends = [heading.start() for heading in headings[1:]] + [len(page.html)]
    for heading, end in zip(headings, ends, strict=True):
        yield {
            "url": page.url if heading[1] == "1" else f"{page.url}#{heading[2]}",
            "page": page.title,
            "heading": to_plain_text(heading[3]),
            "text": to_plain_text(page.html[heading.end() : end]),
        }
