"""Loads the templates of the site, from the package and the owner's theme, and edits the rendered HTML."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

from jinja2 import ChoiceLoader, FileSystemLoader, PrefixLoader, pass_context
from jinja2.runtime import Context
from jinja2.sandbox import SandboxedEnvironment

from blogapi.rendering.plain_text import shorten_text
from blogapi.rendering.players import EMBED_HOSTS
from blogapi.site.addresses import to_time_zone

FOLDER = Path(__file__).parent

_TEMPLATES = FOLDER / "templates"
# The directive of a Content-Security-Policy for the video players that the sanitizer keeps in texts.
FRAME_SRC_DIRECTIVE = f"frame-src {' '.join(f'https://{host}' for host in sorted(EMBED_HOSTS))}"

_TAG_WITH_ADDRESS = re.compile(r"<[a-z](?=[^<>]* (?:href|src|poster|srcset)=)[^<>]*+>")
_ADDRESS_ATTRIBUTE = re.compile(r' (href|src|poster|srcset)="([^"]*)"')
_SRCSET_ADDRESS = re.compile(r"(?<![^\s,])[^\s,]+")


@cache
def read_style_sheet() -> str:
    """Return the built-in style sheet of the site, with the rules for the texts of articles."""
    parts = (FOLDER / "style.css", FOLDER.parent / "rendering" / "text.css")
    return "\n".join(part.read_text(encoding="utf-8") for part in parts)


@cache
def get_style_digest() -> str:
    """Return the digest of the style sheet, which its address contains."""
    return hashlib.sha256(read_style_sheet().encode("utf-8")).hexdigest()[:16]


@cache
def get_built_in_environment() -> SandboxedEnvironment:
    """Return the environment with only the templates of the package."""
    return create_environment()


def create_environment(*folders: Path) -> SandboxedEnvironment:
    """Return an environment with the templates of the folders; missing templates come from the package."""
    built_in = FileSystemLoader(_TEMPLATES)
    # `built-in/base.html` is always the template of the package: with `{% extends "base.html" %}`, the
    # `base.html` of a theme would extend itself.
    loader = ChoiceLoader([PrefixLoader({"built-in": built_in}), FileSystemLoader([*folders, _TEMPLATES])])
    environment = SandboxedEnvironment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, auto_reload=False
    )
    environment.filters |= _FILTERS
    return environment


def replace_site_addresses(page: str, url: str) -> str:
    """Return the HTML of a page with the addresses of the site replaced by paths, except in its <head>.

    Therefore, the links also work if the site is read through another host or port, as the demo can be.
    """
    head, separator, body = page.partition("</head>")
    escaped = escape(url)

    def remove_host(address: str) -> str:
        path = address.removeprefix(escaped)
        if path == address or path[:1] not in ("", "/", "?", "#"):
            return address
        return path if path.startswith("/") else f"/{path}"

    return head + separator + edit_addresses(body, remove_host)


def edit_addresses(html: str, edit: Callable[[str], str]) -> str:
    """Return the HTML with each address of a link, a picture or a video replaced by what `edit` returns.

    Attribute values must be quoted, with `<` and `>` escaped, as they are in templates and sanitized HTML.
    """

    def edit_attribute(found: re.Match[str]) -> str:
        name, value = found.groups()
        is_list = name == "srcset"
        return f' {name}="{_SRCSET_ADDRESS.sub(lambda one: edit(one[0]), value) if is_list else edit(value)}"'

    return _TAG_WITH_ADDRESS.sub(lambda tag: _ADDRESS_ATTRIBUTE.sub(edit_attribute, tag[0]), html)


@pass_context
def _format_date(context: Context, time: str) -> str:
    local = to_time_zone(datetime.fromisoformat(time), context["site"]["time_zone"])
    return str(context["words"].format_date(local))


@pass_context
def _get_language_name(context: Context, tag: str) -> str:
    return str(context["words"].name_language(tag))


def _get_host(url: str) -> str:
    return urlsplit(url).netloc.removeprefix("www.")


_FILTERS: Mapping[str, Callable[..., str]] = {
    "date": _format_date,
    "shorten": shorten_text,
    "language_name": _get_language_name,
    "host": _get_host,
}
