"""The Markdown or HTML for known template tags of site generators: links, pictures and players.

A tag name has nearly the same meaning in Jekyll, Hexo, Eleventy, Hugo and Zola.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from itertools import islice

from blogapi.importing.templates import tag_markup
from blogapi.importing.texts import titles
from blogapi.importing.texts.lines import split_words

_ARGUMENT = re.compile(
    r"""(?:(?P<name>[A-Za-z_][\w-]*+)\s*(?:=|:(?=[\s"']))\s*)?
    (?:"(?P<double>(?:[^"\\]++|\\.)*+)"|'(?P<single>(?:[^'\\]++|\\.)*+)'|“(?P<curly>[^”]{0,999}+)”|`(?P<raw>[^`]*+)`
      |(?P<bare>[^\s,"'`][^\s,]*+))""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPED_QUOTE = re.compile(r"\\([\"'\\])")
# Unquoted values in Liquid tags, which are names of variables.
_VARIABLE = re.compile(r"(?:page|site|include|post|layout|forloop|item|image|img|theme|paginator)\.[\w.-]+")
_MAX_ARGUMENTS = 100
# Variables with the address of the former blog, in lower case; the root of this blog replaces them.
_ROOT_VARIABLES = split_words("""site.baseurl site.url site.base_url site.github.url site.root site.site_url
    baseurl base_url root_url config.base_url metadata.url""")
# Filters that change only the form of an address; the address is kept unchanged.
_ADDRESS_FILTERS = split_words("""relative_url absolute_url url absurl relurl htmlbaseurl uri_escape escape
    escape_once xml_escape strip safe absoluteurl relativeurl asset_url cdn""")
_FILTER_PART = re.compile(r"""(?:[^|"']++|"[^"]*+"|'[^']*+'|["'])++""")
_QUOTED_STRING = re.compile(r"""(["'])(?P<text>(?:(?!\1).)*+)\1""", re.DOTALL)
_OUTPUT_NAME = re.compile(r"[.$]?[\w.$-]+")
_OUTPUT = re.compile(r"\{\{-?([^{}]{1,500})-?\}\}")
_TAG_DELIMITERS = {"{{", "}}", "{%", "%}", "{#", "#}"}
_ABSOLUTE_START = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[/#?.]")
_WEB_START = re.compile(r"(?:https?:)?//", re.IGNORECASE)
# Matches the address of a file that is not an article.
_FILE_URL = re.compile(r"[^?#]*\.(?!(?:md|markdown|mkd|html?|adoc|rst|ipynb)\b)\w+(?:[?#].*)?", re.IGNORECASE)
_FLAG_VALUES = {"true", "false"}
_PICTURE_NAME = re.compile(r"im(?:age|g)|figure|picture|photo|screenshot|lightbox|(?:^|[-_])(?:fig|pic)$")
_SOURCE_ARGUMENTS = split_words("""src image_path file filename image img path picture source photo image_url
    imageurl image-path image-src img_src name""")
_ALT_ARGUMENTS = ("alt", "alttext", "alt_text", "image_alt", "image-alt", "description")
_ID_ARGUMENTS = split_words("""id src url file path videoid video_id tweet_id video gist pen slug v key code
    mp4 webm href source""")
_SIZE_VALUE = re.compile(r"[0-9]{1,5}(?:px|%)?|auto")
_YOUTUBE_ADDRESS = re.compile(
    r"(?:(?:https?:)?//)?(?:[\w-]{1,63}\.)?youtu(?:be(?:-nocookie)?\.com|\.be)/(?:watch\?(?:[^\s#]{0,40}&)?v=|\w{1,20}/)?([\w-]{6,20})"
)
_VIMEO_ADDRESS = re.compile(r"(?:(?:https?:)?//)?(?:\w{1,63}\.)?vimeo\.com/(?:video/)?([0-9]{1,20})")
_PAGE_ID = re.compile(r"[\w@-]{1,99}(?:/[\w@-]{1,99})?")
# For each tag, the address of its page, shown as a link or player; `{first}` is the first part of an id.
_PAGE_ADDRESSES = {
    "youtube": "https://youtu.be/{first}",
    "vimeo": "https://vimeo.com/{first}",
    "gist": "https://gist.github.com/{path}",
    **dict.fromkeys(("tweet", "twitter", "tweet_simple"), "https://twitter.com/{user}/status/{last}"),
    **dict.fromkeys(("x", "x_simple"), "https://x.com/{user}/status/{last}"),
    **dict.fromkeys(("instagram", "instagram_simple"), "https://www.instagram.com/p/{first}/"),
    "codepen": "https://codepen.io/{user}/pen/{last}",
    "jsfiddle": "https://jsfiddle.net/{path}/",
    "asciinema": "https://asciinema.org/a/{first}",
}


@dataclass(slots=True)
class TagArguments:
    """The arguments of a tag. Variables, which have values only in the template engine, are left out."""

    values: list[str] = field(default_factory=list)  #: arguments without a name
    named: dict[str, str] = field(default_factory=dict)  #: by name, in lower case

    def get_named(self, *names: str) -> str:
        """Return the first named argument that is not empty, or ""."""
        return next(filter(None, (self.named.get(name, "") for name in names)), "")

    def get_named_or_first(self, *names: str) -> str:
        """Return the first named argument that is not empty, or else the first value, or ""."""
        return self.get_named(*names) or next(iter(self.values), "")


def parse_arguments(text: str) -> TagArguments:
    arguments = TagArguments()
    for match in islice(_ARGUMENT.finditer(text), _MAX_ARGUMENTS):
        value = _get_argument_value(match)
        if value is not None and match["name"]:
            arguments.named.setdefault(match["name"].lower(), value)
        elif value is not None:
            arguments.values.append(value)
    return arguments


def _get_argument_value(match: re.Match[str]) -> str | None:
    kind = match.lastgroup or "bare"
    value: str = match[kind]
    if kind == "bare" and _VARIABLE.fullmatch(value):
        return None
    if kind in ("double", "single"):
        value = _ESCAPED_QUOTE.sub(r"\1", value)
    value = _OUTPUT.sub(lambda it: it[0] if (shown := evaluate_expression(it[1])) is None else shown, value)
    return None if "{{" in value or "{%" in value else " ".join(value.split())


def evaluate_expression(expression: str) -> str | None:
    """Return the text that `{{ expression }}` shows ("" = root of the blog); None if it needs variables."""
    base, *filters = [part.strip() for part in _FILTER_PART.findall(expression)] or [""]
    text = _get_constant(base)
    if text is None:
        return None
    for written in filters:
        # `prepend: site.url`
        name, _, argument = (part.strip() for part in written.partition(":"))
        other = _get_constant(argument)
        if name in ("append", "prepend", "prefix") and other is not None:
            text = text + other if name == "append" else other + text
        elif name in ("relative_url", "absolute_url") and text and not _ABSOLUTE_START.match(text):
            text = f"/{text}"
        elif name.lower() not in _ADDRESS_FILTERS:
            return None
    if filters or not _QUOTED_STRING.fullmatch(base):
        return text.replace(" ", "%20")
    # Without a filter, a quoted string has a value only if it is a delimiter, as in `{{ "{{" }}`. In the text
    # `"{{" and "}}"`, the pattern also matches the part `{{" and "}}`, which outputs nothing.
    return text if text in _TAG_DELIMITERS else None


def _get_constant(expression: str) -> str | None:
    string = _QUOTED_STRING.fullmatch(expression)
    if string:
        return string["text"]
    return "" if expression.lower() in _ROOT_VARIABLES else None


def get_output_name(expression: str) -> str:
    """Return the name under which an output is counted: its variable or its last filter, else ""."""
    parts = [part.strip() for part in _FILTER_PART.findall(expression)] or [""]
    match = _OUTPUT_NAME.match(parts[-1] if _QUOTED_STRING.fullmatch(parts[0]) else parts[0])
    return match[0] if match else ""


@dataclass(frozen=True, slots=True)
class TemplateTag:
    """A template tag with its arguments, in the text of an article."""

    name: str  #: in lower case; of an include: the name of the included file, without suffix
    arguments: TagArguments
    kind: str  #: "hugo", "liquid" (also of Hexo), "output" or "include"
    is_html: bool  #: whether the text around it is HTML
    targets: tag_markup.LinkFinder


def render_tag(tag: TemplateTag) -> str | None:
    """Return the replacement of a tag, or None if it is unknown or depends on variables of the blog."""
    if tag.name in _TAG_RENDERERS:
        return _TAG_RENDERERS[tag.name](tag)
    site = tag.arguments.get_named("provider").lower() or tag.name
    name = next((video for video in ("youtube", "vimeo") if video in site), tag.name)
    if name in _PAGE_ADDRESSES or name in ("video", "audio", "iframe", "media"):
        return _render_link_or_player(tag, _PAGE_ADDRESSES.get(name, ""))
    is_picture = tag.kind != "include" and any(map(tag_markup.is_image, tag.arguments.values[:2]))
    return _render_picture(tag) if is_picture or _PICTURE_NAME.search(tag.name) else None


def _render_link_or_player(tag: TemplateTag, template: str) -> str | None:
    user, id_ = tag.arguments.get_named("user", "username", "author"), tag.arguments.get_named(*_ID_ARGUMENTS)
    values = [*filter(None, (user, id_)), *tag.arguments.values] or [""]
    address = next((it for it in values if _WEB_START.match(it) or tag_markup.is_playable(it)), values[0])
    if template and address == values[0] and _PAGE_ID.fullmatch(address):
        parts = [part for part in "/".join(values).split("/")[:2] if _PAGE_ID.fullmatch(part)]
        ends = {"first": parts[0], "last": parts[-1], "user": parts[0] if parts[1:] else "i"}
        address = template.format(path="/".join(parts), **ends)
    return embed_address(address, tag.arguments.get_named("title"), is_html=tag.is_html)


def embed_address(address: str, title: str = "", *, is_html: bool = False) -> str | None:
    """Return the player of a video or sound file, or a link to another page; None if it is no web address."""
    if tag_markup.is_playable(address):
        return tag_markup.make_player(address)
    for site, pattern, player in (
        ("YouTube", _YOUTUBE_ADDRESS, "www.youtube-nocookie.com/embed"),
        ("Vimeo", _VIMEO_ADDRESS, "player.vimeo.com/video"),
    ):
        if video := pattern.match(address):
            title = escape(title or f"{site} video")
            return f'<iframe src="https://{player}/{video[1]}" title="{title}" allowfullscreen></iframe>'
    return tag_markup.make_text_link(address, address, is_html=is_html) if _WEB_START.match(address) else None


def _find_post_address(tag: TemplateTag) -> str | None:
    """Return the address of the post that `post_url`, `ref`, `relref`, `post_path` or `get_url` names."""
    name = tag.arguments.get_named_or_first("path", "slug", "page").removeprefix("@/")
    if not name or name.startswith("#") or _WEB_START.match(name):
        return name or None
    return tag.targets.find_post_address(name) or tag.targets.find_new_address(name)


def _render_address(tag: TemplateTag) -> str | None:
    """Return the address of a file or page, such as `url_for("/x")` of Hugo and `{% link x.pdf %}`."""
    path = tag.arguments.get_named_or_first("path", "src")
    is_page = path and not _WEB_START.match(path) and not _FILE_URL.fullmatch(path)
    return _find_post_address(tag) or (None if not path or is_page else f"/{path.lstrip('/')}")


def _render_link(tag: TemplateTag) -> str | None:
    """Return a link for `{% link text url %}` of Hexo, and the address of the file for `{% link x.pdf %}`."""
    values = tag.arguments.values
    index = next((number for number, value in enumerate(values) if number and _WEB_START.match(value)), 0)
    if index:
        return tag_markup.make_text_link(" ".join(values[:index]), values[index], is_html=tag.is_html)
    return _render_address(tag) if len(values) == 1 else None


def _render_titled_link(tag: TemplateTag) -> str | None:
    """Return a link to the post or the file that the first value names; the other values are its text."""
    name, *words = tag.arguments.values or [""]
    address = _find_post_address(tag) if tag.name == "post_link" else name
    text = " ".join(word for word in words if word not in _FLAG_VALUES)
    text = text or (titles.make_title(name.rpartition("/")[2]) if tag.name == "post_link" else name)
    return tag_markup.make_text_link(text, address, is_html=tag.is_html) if address else None


def _render_picture(tag: TemplateTag) -> str | None:
    src, texts = _find_picture_source(tag)
    get = tag.arguments.get_named
    if tag_markup.is_playable(src) or not src:
        return tag_markup.make_player(src) if src else None
    link, credit, source = get("link", "href", "url"), get("attr"), get("attrlink")
    link = "" if link == src or link in _FLAG_VALUES or link.startswith("#") else link
    credit = tag_markup.make_text_link(credit, source) if credit and source else credit
    title = get("title") if tag.name == "figure" else ""
    caption = ". ".join(filter(None, (title, get("caption", "cap", "legend"))))
    caption = " ".join(filter(None, (caption, credit)))
    # In Hexo, words without quotes are one text. In other tags, the longest value is the text, because
    # shorter values can be names of classes.
    alt = " ".join(texts) if tag.name in ("img", "asset_img") else max(texts, key=len, default="")
    is_html, sizes = tag.is_html or bool(caption), {name: get(name) for name in ("width", "height")}
    picture = tag_markup.make_picture(src, get(*_ALT_ARGUMENTS) or alt, sizes, is_html=is_html)
    picture = tag_markup.make_link(picture, link, is_html=is_html) if link else picture
    if not caption:
        return picture
    return f"<figure>{picture}<figcaption>{tag_markup.render_inline(caption)}</figcaption></figure>"


def _find_picture_source(tag: TemplateTag) -> tuple[str, list[str]]:
    arguments = tag.arguments
    links = (arguments.get_named(name) for name in ("url", "href", "link"))
    named = arguments.get_named(*_SOURCE_ARGUMENTS) or next(filter(tag_markup.is_image, links), "")
    if named or tag.kind == "include":
        return named, []
    values = arguments.values
    # A name without an extension can be an address or the resource of a page.
    addresses = (*filter(tag_markup.is_image, values), *(it for it in values if "/" in it or "." in it))
    src = next(iter(addresses), "")
    rest = values[values.index(src) + 1 :] if src else []
    return src, [value for value in rest if not _SIZE_VALUE.fullmatch(value)]


_TAG_RENDERERS: dict[str, Callable[[TemplateTag], str | None]] = {
    **dict.fromkeys(("ref", "relref", "post_url", "post_path"), _find_post_address),
    **dict.fromkeys(("get_url", "url_for"), _render_address),
    "link": _render_link,
    **dict.fromkeys(("post_link", "asset_link"), _render_titled_link),
    "asset_path": lambda tag: tag.arguments.get_named_or_first("path", "src").replace(" ", "%20") or None,
    # blogapi makes a table of contents of every article.
    **dict.fromkeys(("toc", "table-of-contents", "table_of_contents", "more"), lambda tag: ""),
    "br": lambda tag: "<br>",
}
