"""What the known template tags stand for, by their names.

A name means nearly the same in Jekyll, Hexo, Eleventy, Hugo and Zola; where it does not, the arguments show
which meaning it has.
"""

from __future__ import annotations

import re

from blogapi.transfer.markdown import paths
from blogapi.transfer.markdown.tag_context import Context, Handler, Tag
from blogapi.transfer.markdown.tag_embeds import (
    link_to,
    make_gist,
    make_iframe,
    make_media,
    make_video,
    make_vimeo,
    make_youtube,
)
from blogapi.transfer.markdown.tag_pictures import make_picture, make_unknown_picture

_PICTURE_NAME = re.compile(r"im(?:age|g)|figure|picture|photo|screenshot|lightbox|(?:^|[-_])(?:fig|pic)$")
_WEB = re.compile(r"(?:https?:)?//", re.IGNORECASE)
_FLAGS = {"true", "false"}
_ARTICLE = re.compile(r"\.(?:md|markdown|mkd|html?|adoc|rst|ipynb)$", re.IGNORECASE)


def resolve_tag(tag: Tag, context: Context) -> str | None:
    """Return the text that a tag stands for, or None if it is unknown or names variables of the blog."""
    handler = _HANDLERS.get(tag.name)
    if handler is None:
        handler = make_picture if _PICTURE_NAME.search(tag.name) else make_unknown_picture
    return handler(tag, context)


def _find_post(tag: Tag, context: Context) -> str | None:
    """Return the address of the post that `post_url`, `ref`, `relref` or `post_path` names."""
    name = tag.arguments.get_first("path", "slug", "page")
    if not name or name.startswith("#") or _WEB.match(name):
        return name or None
    found = context.targets.find_post(name) or context.targets.find_address(name)
    last = re.split(r"[?#]", name, maxsplit=1)[0].rpartition("/")[2]
    is_file = "." in last and not _ARTICLE.search(last)
    return found or (f"/{name.lstrip('/')}" if is_file and tag.name == "link" else None)


def _make_link(tag: Tag, context: Context) -> str | None:
    """Return the address of a file (`{% link _posts/x.md %}`), or a link (`{% link text url %}`)."""
    values = tag.arguments.values
    if not tag.is_hexo or tag.is_include:
        return None
    place = next((number for number, value in enumerate(values) if number and _WEB.match(value)), 0)
    if place:
        return context.markup.make_text_link(" ".join(values[:place]), values[place])
    return _find_post(tag, context) if len(values) == 1 else None


def _make_post_link(tag: Tag, context: Context) -> str | None:
    slug, *words = tag.arguments.values or [""]
    address = _find_post(tag, context) if slug else None
    title = " ".join(word for word in words if word not in _FLAGS)
    name = re.split("#", slug, maxsplit=1)[0].rpartition("/")[2]
    return context.markup.make_text_link(title or paths.make_title(name), address) if address else None


def _make_asset_path(tag: Tag, context: Context) -> str | None:
    return tag.arguments.get_first("path", "src").replace(" ", "%20") or None


def _make_asset_link(tag: Tag, context: Context) -> str | None:
    file, *words = tag.arguments.values or [""]
    title = " ".join(word for word in words if word not in _FLAGS)
    return context.markup.make_text_link(title or file, file) if file else None


def _make_url(tag: Tag, context: Context) -> str | None:
    """Return the address in `get_url(path="@/blog/x.md")` of Zola or `url_for("/x")` of Hexo."""
    path = tag.arguments.get_first("path")
    if path.startswith("@/"):
        return context.targets.find_post(path[2:])
    return path if _WEB.match(path) else f"/{path.lstrip('/')}" if path else None


def _make_notice(tag: Tag, context: Context) -> str | None:
    """Return the text of an include such as `{% include note.html content="…" %}` as a quote."""
    text = tag.arguments.get("content", "text", "message", "body") if tag.is_include else ""
    if not text:
        return None
    return f"<blockquote>{text}</blockquote>" if context.markup.is_html else f"> {text}"


def _remove(tag: Tag, context: Context) -> str | None:
    return ""


def _make_line_break(tag: Tag, context: Context) -> str | None:
    return "<br>"


#: Names of notes and warnings, whose text becomes a quote.
NOTICES = {
    *("note", "notes", "notice", "notification", "alert", "admonition", "callout", "hint", "tip", "info"),
    *("warning", "warn", "important", "caution", "danger", "attention", "message", "infobox", "success"),
    *("blockquote", "pullquote", "quote", "centerquote", "cq", "epigraph", "pull-quote", "error", "aside"),
}  # fmt: skip

_HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(
        ("youtube", "youtubeplayer", "youtube-lite", "lite-youtube", "youtubelite"), make_youtube
    ),
    **dict.fromkeys(("yt", "youtube-embed", "youtube_embed", "youtube-video", "youtubevideo"), make_youtube),
    **dict.fromkeys(("vimeo", "vimeo_simple", "vimeoplayer"), make_vimeo),
    **dict.fromkeys(("video", "audio", "html5video", "mp4"), make_video),
    **dict.fromkeys(("tweet", "twitter", "tweet_simple"), link_to("https://twitter.com/{user}/status/{id}")),
    **dict.fromkeys(("x", "x_simple"), link_to("https://x.com/{user}/status/{id}")),
    **dict.fromkeys(("instagram", "instagram_simple"), link_to("https://www.instagram.com/p/{id}/")),
    "codepen": link_to("https://codepen.io/{user}/pen/{id}"),
    "jsfiddle": link_to("https://jsfiddle.net/{id}/"),
    "asciinema": link_to("https://asciinema.org/a/{id}"),
    "speakerdeck": link_to("https://speakerdeck.com/player/{id}"),
    "bilibili": link_to("https://www.bilibili.com/video/{id}"),
    "gist": make_gist,
    "iframe": make_iframe,
    "media": make_media,
    **dict.fromkeys(("ref", "relref", "post_url", "post_path"), _find_post),
    "link": _make_link,
    "post_link": _make_post_link,
    "asset_path": _make_asset_path,
    "asset_link": _make_asset_link,
    **dict.fromkeys(("get_url", "url_for"), _make_url),
    **dict.fromkeys(NOTICES, _make_notice),
    # blogapi makes a table of contents of every article.
    **dict.fromkeys(("toc", "table-of-contents", "table_of_contents", "more"), _remove),
    "br": _make_line_break,
}
