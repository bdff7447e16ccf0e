"""What the known template tags of site generators show: links, pictures, players and quotes.

A name means nearly the same in Jekyll, Hexo, Eleventy, Hugo and Zola; where it does not, the arguments show
which meaning it has.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from blogapi.transfer.link_targets import LinkTargets
from blogapi.transfer.markdown import paths
from blogapi.transfer.markdown.tag_arguments import Arguments
from blogapi.transfer.markdown.tag_markup import Markup, is_audio, is_image, is_video

_WEB = re.compile(r"(?:https?:)?//", re.IGNORECASE)
# A file that is no article.
_FILE = re.compile(r"[^?#]*\.(?!(?:md|markdown|mkd|html?|adoc|rst|ipynb)\b)\w+(?:[?#].*)?", re.IGNORECASE)
_FLAGS = {"true", "false"}
_PICTURE_NAME = re.compile(r"im(?:age|g)|figure|picture|photo|screenshot|lightbox|(?:^|[-_])(?:fig|pic)$")
_CAPTIONED = {"figure", "fig", "fullwidth", "maincolumn", "marginfigure"}
_SOURCES = (
    *("src", "image_path", "file", "filename", "image", "img", "path", "picture", "source", "photo"),
    *("image_url", "imageurl", "image-path", "image-src", "img_src", "name"),
)  # fmt: skip
_VIDEO_SOURCES = ("src", "file", "path", "url", "mp4", "webm", "href", "source")
_VIDEO_IDS = ("id", "videoid", "video_id", "video", "v", "url", "src", "key", "code")
_ALTS = ("alt", "alttext", "alt_text", "image_alt", "image-alt", "description")
_NUMBER = re.compile(r"[0-9]{1,5}(?:px|%)?|auto")
_YOUTUBE = re.compile(
    r"(?:(?:https?:)?//)?(?:[\w-]+\.)?youtu(?:be(?:-nocookie)?\.com|\.be)/(?:.*[?&]v=|\w+/)?([\w-]{6,20})"
)
_VIMEO = re.compile(r"(?:(?:https?:)?//)?(?:\w+\.)?vimeo\.com/(?:video/)?([0-9]+)")
_FRAME = re.compile(r"(?:https?:)?//(?:[\w.-]+\.)?(?:youtube(?:-nocookie)?\.com/embed/|player\.vimeo\.com/)")

#: Names of notes and warnings, whose text becomes a quote.
NOTICES = {
    *("note", "notes", "notice", "notification", "alert", "admonition", "callout", "hint", "tip", "info"),
    *("warning", "warn", "important", "caution", "danger", "attention", "message", "infobox", "success"),
    *("blockquote", "pullquote", "quote", "centerquote", "cq", "epigraph", "pull-quote", "error", "aside"),
}  # fmt: skip
# The pages of other sites to which tags link.
_PAGES = {
    **dict.fromkeys(("tweet", "twitter", "tweet_simple"), "https://twitter.com/{user}/status/{id}"),
    **dict.fromkeys(("x", "x_simple"), "https://x.com/{user}/status/{id}"),
    **dict.fromkeys(("instagram", "instagram_simple"), "https://www.instagram.com/p/{id}/"),
    "codepen": "https://codepen.io/{user}/pen/{id}",
    "jsfiddle": "https://jsfiddle.net/{id}/",
    "asciinema": "https://asciinema.org/a/{id}",
    "speakerdeck": "https://speakerdeck.com/player/{id}",
    "bilibili": "https://www.bilibili.com/video/{id}",
}


@dataclass(frozen=True, slots=True)
class Tag:
    """A template tag with its arguments, in the text of an article."""

    name: str  #: in lower case; of an include: the name of the included file, without suffix
    arguments: Arguments
    kind: str  #: "hugo", "liquid" (also of Hexo), "output" or "include"
    markup: Markup
    targets: LinkTargets


def show_tag(tag: Tag) -> str | None:
    """Return the text that a tag stands for, or None if it is unknown or names variables of the blog."""
    if tag.name in _TAGS:
        return _TAGS[tag.name](tag)
    is_picture = tag.kind != "include" and any(map(is_image, tag.arguments.values[:2]))
    return _show_picture(tag) if is_picture or _PICTURE_NAME.search(tag.name) else None


def _find_post(tag: Tag) -> str | None:
    """Return the address of the post that `post_url`, `ref`, `relref` or `post_path` names."""
    name = tag.arguments.get_first("path", "slug", "page")
    if not name or name.startswith("#") or _WEB.match(name):
        return name or None
    return tag.targets.find_post(name) or tag.targets.find_address(name)


def _show_link(tag: Tag) -> str | None:
    """Return the address of a file (`{% link _posts/x.md %}`), or a link (`{% link text url %}`)."""
    values = tag.arguments.values if tag.kind == "liquid" else []
    place = next((number for number, value in enumerate(values) if number and _WEB.match(value)), 0)
    if place:
        return tag.markup.make_text_link(" ".join(values[:place]), values[place])
    found = _find_post(tag) if len(values) == 1 else None
    return found or (f"/{values[0].lstrip('/')}" if values and _FILE.fullmatch(values[0]) else None)


def _show_post_link(tag: Tag) -> str | None:
    slug, *words = tag.arguments.values or [""]
    address = _find_post(tag)
    title = " ".join(word for word in words if word not in _FLAGS)
    title = title or paths.make_title(slug.partition("#")[0].rpartition("/")[2])
    return tag.markup.make_text_link(title, address) if address else None


def _show_asset_path(tag: Tag) -> str | None:
    return tag.arguments.get_first("path", "src").replace(" ", "%20") or None


def _show_asset_link(tag: Tag) -> str | None:
    file, *words = tag.arguments.values or [""]
    title = " ".join(word for word in words if word not in _FLAGS)
    return tag.markup.make_text_link(title or file, file) if file else None


def _show_address(tag: Tag) -> str | None:
    """Return the address in `get_url(path="@/blog/x.md")` of Zola or `url_for("/x")` of Hexo."""
    path = tag.arguments.get_first("path")
    if path.startswith("@/"):
        return tag.targets.find_post(path[2:])
    return path if _WEB.match(path) else f"/{path.lstrip('/')}" if path else None


def _show_page(tag: Tag) -> str | None:
    """Return a link to a page of another site."""
    values = [value.strip("/") for value in tag.arguments.values]
    id_ = tag.arguments.get("id", "tweet_id", "url", "pen", "slug") or next(iter(values[-1:]), "")
    user = tag.arguments.get("user", "username", "author") or (values[0] if values[1:] else "i")
    if _WEB.match(id_):
        return _link_to(id_, tag)
    is_valid = re.fullmatch(r"[\w.@-]{1,99}/[\w.@/-]{1,99}", f"{user}/{id_}")
    return _link_to(_PAGES[tag.name].format(user=user, id=id_), tag) if is_valid else None


def _show_gist(tag: Tag) -> str | None:
    """Return a link to `{% gist user/id file %}` or `{{< gist user id file >}}`."""
    named = [tag.arguments.get("user"), tag.arguments.get("id", "gist", "url")]
    first, *rest = [*filter(None, named), *tag.arguments.values] or [""]
    if _WEB.match(first):
        return _link_to(first, tag)
    path = first if "/" in first else "/".join([first, *rest[:1]])
    return _link_to(f"https://gist.github.com/{path}", tag) if re.fullmatch(r"[\w/-]{1,99}", path) else None


def _show_youtube(tag: Tag) -> str | None:
    id_ = tag.arguments.get_first(*_VIDEO_IDS)
    is_id = re.fullmatch(r"[\w-]{1,64}", id_)
    return _embed(f"https://www.youtube-nocookie.com/embed/{id_}" if is_id else id_, tag)


def _show_vimeo(tag: Tag) -> str | None:
    id_ = tag.arguments.get_first(*_VIDEO_IDS)
    return _embed(f"https://player.vimeo.com/video/{id_}" if id_.isdecimal() else id_, tag)


def _show_video(tag: Tag) -> str | None:
    provider = tag.arguments.get("provider", "type", "site").lower()
    if provider in ("youtube", "vimeo"):
        return _show_youtube(tag) if provider == "youtube" else _show_vimeo(tag)
    return _embed(tag.arguments.get_first(*_VIDEO_SOURCES, "id"), tag)


def _show_frame(tag: Tag) -> str | None:
    return _embed(tag.arguments.get_first("src", "url"), tag)


def _embed(address: str, tag: Tag) -> str | None:
    """Return the player of a video or sound file, or a link to another page."""
    if is_video(address) or is_audio(address):
        return tag.markup.make_player(address)
    youtube, vimeo = _YOUTUBE.match(address), _VIMEO.match(address)
    if youtube and not _FRAME.match(address):
        address = f"https://www.youtube-nocookie.com/embed/{youtube[1]}"
    elif vimeo:
        address = f"https://player.vimeo.com/video/{vimeo[1]}"
    if _FRAME.match(address):
        title = "Vimeo video" if vimeo else "YouTube video"
        return tag.markup.make_frame(address, tag.arguments.get("title") or title)
    return _link_to(address, tag) if _WEB.match(address) else None


def _link_to(address: str, tag: Tag) -> str:
    return tag.markup.make_text_link(address, address)


def _show_picture(tag: Tag) -> str | None:
    src, texts, sizes = _read_picture(tag)
    get, markup = tag.arguments.get, tag.markup
    if is_video(src) or is_audio(src) or not src:
        return markup.make_player(src) if src else None
    alt, caption, title = (
        get(*_ALTS) or _choose_alt(tag, texts),
        get("caption", "cap", "legend"),
        get("title"),
    )
    if tag.name == "figure" and title:
        caption, title = ". ".join(filter(None, (title, caption))), ""
    if tag.name in _CAPTIONED and not get("src"):
        caption = caption or " ".join(texts[-1:])
    credit, source = get("attr"), get("attrlink")
    credit = Markup("markdown").make_text_link(credit, source) if source and credit else credit
    caption = " ".join(filter(None, (caption, credit)))
    link = get("link", "href", "url")
    link = "" if link == src or link in _FLAGS or link.startswith("#") else link
    if caption:
        return markup.make_figure({"src": src, "alt": alt, "title": title, **sizes}, caption, link)
    picture = markup.make_picture(src, alt, title=title, sizes=sizes)
    return markup.make_link(picture, link) if link else picture


def _read_picture(tag: Tag) -> tuple[str, list[str], dict[str, str]]:
    """Return the address, the texts and the sizes of a picture."""
    arguments = tag.arguments
    links = (arguments.get(name) for name in ("url", "href", "link"))
    named = arguments.get(*_SOURCES) or next(filter(is_image, links), "")
    sizes = {name: arguments.get(name).removesuffix("px") for name in ("width", "height")}
    values = [] if named or tag.kind == "include" else arguments.values
    # A name without an extension can be an address or the resource of a page.
    found = [value for value in values if is_image(value) or is_video(value)] or [
        value for value in values if "/" in value or "." in value
    ]
    rest = values[values.index(found[0]) + 1 :] if found else []
    numbers = [value for value in rest if _NUMBER.fullmatch(value)]
    if _is_hexo(tag):
        sizes |= dict(zip(("width", "height"), (value.removesuffix("px") for value in numbers), strict=False))
    return named or next(iter(found), ""), [value for value in rest if value not in numbers], sizes


def _is_hexo(tag: Tag) -> bool:
    return tag.kind == "liquid" and tag.name in ("img", "asset_img")


def _choose_alt(tag: Tag, texts: list[str]) -> str:
    """Return the alternative text among the texts of a picture tag, which depends on the tag."""
    if _is_hexo(tag):
        # Words without quotes are one title; its last quoted part is the text: `"title 'alt'"`.
        text = texts[-1] if len(texts) == 2 else " ".join(texts)
        inner = re.search(r"""(["'])([^"']*)\1$""", text)
        return inner[2] if inner else text
    return " ".join(texts[-1:] if "class" in tag.name else texts[:1])


def _show_notice(tag: Tag) -> str | None:
    """Return the text of an include such as `{% include note.html content="…" %}` as a quote."""
    text = tag.arguments.get("content", "text", "message", "body") if tag.kind == "include" else ""
    quote = f"<blockquote>{text}</blockquote>" if tag.markup.is_html else f"> {text}"
    return quote if text else None


_TAGS: dict[str, Callable[[Tag], str | None]] = {
    **dict.fromkeys(("youtube", "youtubeplayer", "youtube-lite", "lite-youtube", "yt"), _show_youtube),
    **dict.fromkeys(("youtubelite", "youtube-embed", "youtube_embed", "youtube-video"), _show_youtube),
    **dict.fromkeys(("vimeo", "vimeo_simple", "vimeoplayer"), _show_vimeo),
    **dict.fromkeys(("video", "audio", "html5video", "mp4"), _show_video),
    **dict.fromkeys(("iframe", "media"), _show_frame),
    **dict.fromkeys(_PAGES, _show_page),
    "gist": _show_gist,
    **dict.fromkeys(("ref", "relref", "post_url", "post_path"), _find_post),
    "link": _show_link,
    "post_link": _show_post_link,
    "asset_path": _show_asset_path,
    "asset_link": _show_asset_link,
    **dict.fromkeys(("get_url", "url_for"), _show_address),
    **dict.fromkeys(NOTICES, _show_notice),
    # blogapi makes a table of contents of every article.
    **dict.fromkeys(("toc", "table-of-contents", "table_of_contents", "more"), lambda tag: ""),
    "br": lambda tag: "<br>",
}
