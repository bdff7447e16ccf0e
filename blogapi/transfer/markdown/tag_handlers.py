"""What the known template tags stand for, by their names.

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

_PICTURE_NAME = re.compile(r"im(?:age|g)|figure|picture|photo|screenshot|lightbox|(?:^|[-_])(?:fig|pic)$")
_SOURCES = (
    *("src", "image_path", "file", "filename", "image", "img", "path", "picture", "source", "photo"),
    *("image_url", "imageurl", "image-path", "image-src", "img_src", "name"),
)  # fmt: skip
_CAPTION_NAMES = {"figure", "fig", "fullwidth", "maincolumn", "marginfigure"}
_NUMBER = re.compile(r"[0-9]{1,5}(?:px|%)?|auto")
# The last quoted text in the title of Hexo's pictures is the alternative text: `"title 'alt'"`.
_INNER_ALT = re.compile(r"""(["'])(?P<alt>[^"']*)\1$""")
_WEB = re.compile(r"(?:https?:)?//", re.IGNORECASE)
_VIDEO_ID = re.compile(r"[\w-]{1,64}")
_YOUTUBE = re.compile(r"(?:[?&]v=|youtu\.be/|/embed/|/shorts/|/live/|/v/)([\w-]{6,20})")
_YOUTUBE_HOST = re.compile(r"//(?:[\w-]+\.)?(?:youtube(?:-nocookie)?\.com|youtu\.be)/")
_VIMEO = re.compile(r"vimeo\.com/(?:video/)?([0-9]+)")
_ARTICLE = re.compile(r"\.(?:md|markdown|mkd|html?|adoc|rst|ipynb)$", re.IGNORECASE)
_FLAGS = {"true", "false"}


@dataclass(frozen=True, slots=True)
class Tag:
    """A template tag with its arguments."""

    name: str  #: in lower case; of an include: the name of the included file, without suffix
    arguments: Arguments
    is_include: bool = False
    is_hexo: bool = False  #: whether the tag is written as `{% name … %}`
    #: the text of the tag up to its closing tag, if it is known; else ""
    inner: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """What handlers need besides the tag."""

    markup: Markup
    targets: LinkTargets


Handler = Callable[[Tag, Context], str | None]


def resolve_tag(tag: Tag, context: Context) -> str | None:
    """Return the text that a tag stands for, or None if it is unknown or names variables of the blog."""
    handler = _HANDLERS.get(tag.name)
    if handler is None:
        handler = _make_picture if _PICTURE_NAME.search(tag.name) else _make_unknown
    return handler(tag, context)


def _make_picture(tag: Tag, context: Context) -> str | None:
    src, texts, sizes = _read_picture(tag)
    get, markup = tag.arguments.get, context.markup
    if not src:
        return None
    if is_video(src) or is_audio(src):
        return markup.make_player(src)
    caption, title = get("caption", "cap", "legend"), get("title")
    alt = get("alt", "alttext", "alt_text", "image_alt", "image-alt", "description") or _choose_alt(
        tag, texts
    )
    if tag.name == "figure" and title:
        caption = ". ".join(filter(None, (title, caption)))
        title = ""
    if tag.name in _CAPTION_NAMES and not caption and not get("src"):
        caption = texts[-1] if texts else ""
    caption = " ".join(filter(None, (caption, _make_credit(tag, markup))))
    link = get("link", "href", "url")
    link = "" if link == src or link in _FLAGS or link.startswith("#") else link
    if caption:
        return markup.make_figure({"src": src, "alt": alt, "title": title, **sizes}, caption, link)
    picture = markup.make_picture(src, alt, title=title, sizes=sizes)
    return markup.make_link(picture, link) if link else picture


def _read_picture(tag: Tag) -> tuple[str, list[str], dict[str, str]]:
    """Return the address, the texts and the sizes of a picture."""
    arguments = tag.arguments
    named = arguments.get(*_SOURCES) or next(
        (value for name in ("url", "href", "link") if is_image(value := arguments.get(name))), ""
    )
    sizes = {name: arguments.get(name).removesuffix("px") for name in ("width", "height")}
    if named or tag.is_include:
        return named, [], sizes
    values = arguments.values
    place = next((number for number, value in enumerate(values) if is_image(value) or is_video(value)), None)
    if place is None:
        # A name without an extension can be an address or the resource of a page.
        place = next((number for number, value in enumerate(values) if "/" in value or "." in value), None)
    if place is None:
        return "", [], sizes
    rest = values[place + 1 :]
    numbers = [value for value in rest if _NUMBER.fullmatch(value)]
    if tag.is_hexo and tag.name in ("img", "asset_img"):
        sizes |= dict(zip(("width", "height"), (value.removesuffix("px") for value in numbers), strict=False))
    return values[place], [value for value in rest if value not in numbers], sizes


def _choose_alt(tag: Tag, texts: list[str]) -> str:
    """Return the alternative text among the texts of a picture tag, which depends on the tag."""
    if not texts:
        return ""
    if tag.name in ("img", "asset_img") and tag.is_hexo:
        # Words without quotes are one title.
        text = texts[-1] if len(texts) == 2 else " ".join(texts)
        inner = _INNER_ALT.search(text)
        return inner["alt"] if inner else text
    return texts[-1] if "class" in tag.name else texts[0]


def _make_credit(tag: Tag, markup: Markup) -> str:
    text, link = tag.arguments.get("attr"), tag.arguments.get("attrlink")
    return Markup("markdown").make_text_link(text, link) if text and link else text


def _make_unknown(tag: Tag, context: Context) -> str | None:
    """Return the picture that an unknown tag names without a parameter name (`{% fullwidth "x.png" %}`)."""
    is_picture = not tag.is_include and any(map(is_image, tag.arguments.values[:2]))
    return _make_picture(tag, context) if is_picture else None


def _make_video(tag: Tag, context: Context) -> str | None:
    provider = tag.arguments.get("provider", "type", "site").lower()
    if provider in ("youtube", "vimeo"):
        return (_make_youtube if provider == "youtube" else _make_vimeo)(tag, context)
    src = tag.arguments.get("src", "file", "path", "url", "mp4", "webm", "href", "source", "id")
    src = src or next((value for value in tag.arguments.values if is_video(value) or is_audio(value)), "")
    if _YOUTUBE_HOST.search(src):
        return _make_youtube(tag, context)
    return context.markup.make_player(src) if is_video(src) or is_audio(src) else None


def _make_youtube(tag: Tag, context: Context) -> str | None:
    value = tag.arguments.get_first("id", "videoid", "video_id", "video", "v", "url", "src", "key", "code")
    found = _YOUTUBE.search(value)
    id_ = found[1] if found else value
    if not _VIDEO_ID.fullmatch(id_):
        return None
    title = tag.arguments.get("title") or "YouTube video"
    return context.markup.make_frame(f"https://www.youtube-nocookie.com/embed/{id_}", title)


def _make_vimeo(tag: Tag, context: Context) -> str | None:
    value = tag.arguments.get_first("id", "videoid", "video_id", "video", "url", "src")
    found = _VIMEO.search(value)
    id_ = found[1] if found else value
    if not id_.isdecimal():
        return None
    title = tag.arguments.get("title") or "Vimeo video"
    return context.markup.make_frame(f"https://player.vimeo.com/video/{id_}", title)


def _make_iframe(tag: Tag, context: Context) -> str | None:
    address = tag.arguments.get_first("src", "url")
    if not _WEB.match(address):
        return None
    if _YOUTUBE_HOST.search(address) or "player.vimeo.com/" in address:
        return context.markup.make_frame(address, tag.arguments.get("title") or "Video")
    return context.markup.make_text_link(address, address)


def _link_to(address: str) -> Handler:
    """Return a handler that links to a page of another site; `address` contains `{user}` and `{id}`."""

    def make(tag: Tag, context: Context) -> str | None:
        arguments = tag.arguments
        values = [value.strip("/") for value in arguments.values]
        id_ = arguments.get("id", "tweet_id", "url", "pen", "slug") or next(iter(values[-1:]), "")
        user = arguments.get("user", "username", "author") or (values[0] if values[1:] else "")
        if _WEB.match(id_):
            return context.markup.make_text_link(id_, id_)
        if not re.fullmatch(r"[\w.@/-]{1,200}", f"{user}{id_}") or not id_:
            return None
        full = address.format(user=user or "i", id=id_)
        return context.markup.make_text_link(full, full)

    return make


def _make_gist(tag: Tag, context: Context) -> str | None:
    arguments = tag.arguments
    parts = [arguments.get("user"), arguments.get("id", "gist", "url"), *arguments.values]
    # The third argument is the name of a file.
    first = next(filter(None, parts), "")
    if _WEB.match(first):
        return context.markup.make_text_link(first, first)
    path = first if "/" in first or not (arguments.values[1:] or arguments.get("user")) else ""
    path = path or "/".join([part for part in parts if part][:2])
    if not re.fullmatch(r"[\w/-]{1,100}", path):
        return None
    address = f"https://gist.github.com/{path}"
    return context.markup.make_text_link(address, address)


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


def _make_media(tag: Tag, context: Context) -> str | None:
    """Return what `{{% media … %}}` of Nikola shows."""
    address = tag.arguments.get_first("url")
    if _YOUTUBE_HOST.search(address) or _VIMEO.search(address):
        return (_make_youtube if _YOUTUBE_HOST.search(address) else _make_vimeo)(tag, context)
    return context.markup.make_text_link(address, address) if _WEB.match(address) else None


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
        ("youtube", "youtubeplayer", "youtube-lite", "lite-youtube", "youtubelite"), _make_youtube
    ),
    **dict.fromkeys(("yt", "youtube-embed", "youtube_embed", "youtube-video", "youtubevideo"), _make_youtube),
    **dict.fromkeys(("vimeo", "vimeo_simple", "vimeoplayer"), _make_vimeo),
    **dict.fromkeys(("video", "audio", "html5video", "mp4"), _make_video),
    **dict.fromkeys(("tweet", "twitter", "tweet_simple"), _link_to("https://twitter.com/{user}/status/{id}")),
    **dict.fromkeys(("x", "x_simple"), _link_to("https://x.com/{user}/status/{id}")),
    **dict.fromkeys(("instagram", "instagram_simple"), _link_to("https://www.instagram.com/p/{id}/")),
    "codepen": _link_to("https://codepen.io/{user}/pen/{id}"),
    "jsfiddle": _link_to("https://jsfiddle.net/{id}/"),
    "asciinema": _link_to("https://asciinema.org/a/{id}"),
    "speakerdeck": _link_to("https://speakerdeck.com/player/{id}"),
    "bilibili": _link_to("https://www.bilibili.com/video/{id}"),
    "gist": _make_gist,
    "iframe": _make_iframe,
    "media": _make_media,
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
