"""Write what template tags and wiki links stand for as Markdown or HTML: pictures, links, players, code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from urllib.parse import quote

from blogapi.content import markdown

_IMAGE = re.compile(r"\.(?:jpe?g|jfif|png|gif|webp|avif|svg|bmp|ico|heic|tiff?)(?=[?#]|$)", re.IGNORECASE)
_VIDEO = re.compile(r"\.(?:mp4|m4v|webm|ogv|mov|mkv)(?=[?#]|$)", re.IGNORECASE)
_AUDIO = re.compile(r"\.(?:mp3|m4a|ogg|oga|opus|wav|flac|3gp)(?=[?#]|$)", re.IGNORECASE)
_SIZE = re.compile(r"([0-9]{1,5})(?:px)?|[0-9]{1,3}%")
_MARKUP = re.compile(r"[*_`\[\]<&\\]|https?://")
_TICKS = re.compile("`+")
_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")
# The characters that Markdown does not allow in the address of a link.
_UNSAFE_IN_ADDRESS = re.compile(r"[\s<>()\\{}|^`\"]")


@dataclass(frozen=True, slots=True)
class Resolved:
    """A text with resolved template tags or wiki links."""

    content: str
    #: what is still in the text, or was removed with its text kept, by the name of the tag
    unresolved: Counter[str] = field(default_factory=Counter)
    notes: tuple[str, ...] = ()  #: sentences for the report of the article


def is_image(address: str) -> bool:
    """Return whether an address ends with the extension of a picture."""
    return _IMAGE.search(address) is not None


def is_video(address: str) -> bool:
    """Return whether an address ends with the extension of a video."""
    return _VIDEO.search(address) is not None


def is_audio(address: str) -> bool:
    """Return whether an address ends with the extension of a sound file."""
    return _AUDIO.search(address) is not None


def clean_address(address: str) -> str:
    """Return an address in which characters that end the address in Markdown are percent-encoded."""
    return _UNSAFE_IN_ADDRESS.sub(lambda match: quote(match[0]), address.strip())


class Markup:
    """Writes elements in the content type of an article."""

    def __init__(self, content_type: str) -> None:
        self.is_html = content_type == "html"

    def make_picture(self, src: str, alt: str = "", *, title: str = "", sizes: Mapping[str, str]) -> str:
        """Return a picture; Markdown if it has no sizes (`width` and `height`)."""
        sizes = {name: size for name, size in sizes.items() if _SIZE.fullmatch(size)}
        alt, title = " ".join(alt.split()), " ".join(title.split())
        if self.is_html or sizes:
            return make_image({"src": src, "alt": alt, "title": title, **sizes})
        tooltip = ' "{}"'.format(title.replace('"', '\\"')) if title else ""
        return f"![{escape_brackets(alt)}]({clean_address(src)}{tooltip})"

    def make_figure(self, image: Mapping[str, str], caption: str, link: str) -> str:
        """Return a picture, given by its attributes, with its caption (Markdown) and its link."""
        picture = make_image(image)
        if link:
            picture = f"<a{_attribute('href', clean_address(link))}>{picture}</a>"
        return f"<figure>{picture}<figcaption>{render_inline(caption)}</figcaption></figure>"

    def make_link(self, text: str, address: str) -> str:
        """Return a link; the text is Markdown or HTML, as the article."""
        address = clean_address(address)
        return f"<a{_attribute('href', address)}>{text}</a>" if self.is_html else f"[{text}]({address})"

    def make_text_link(self, text: str, address: str) -> str:
        """Return a link whose text is plain text."""
        return self.make_link(escape(text, quote=False) if self.is_html else escape_brackets(text), address)

    def make_player(self, address: str) -> str:
        """Return a player for a video or sound file."""
        element = "audio" if is_audio(address) else "video"
        return f"<{element}{_attribute('src', clean_address(address))} controls></{element}>"

    def make_frame(self, address: str, title: str) -> str:
        """Return an embedded page; the sanitizer keeps those of known hosts."""
        return f"<iframe{_attribute('src', address)}{_attribute('title', title)} allowfullscreen></iframe>"

    def make_code(self, code: str, language: str, prefix: str) -> str:
        """Return a code block whose lines all begin with `prefix`; the first line has it already."""
        language = language if _LANGUAGE.fullmatch(language) else ""
        if self.is_html:
            name = _attribute("class", f"language-{language}") if language else ""
            return f"<pre><code{name}>{escape(code, quote=False)}</code></pre>"
        fence = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(code)), default=0))
        lines = [f"{fence}{language}", *(line.removeprefix(prefix) for line in code.split("\n")), fence]
        return f"\n{prefix}".join(lines)

    def make_code_span(self, code: str) -> str:
        """Return code within a line."""
        if self.is_html:
            return f"<code>{escape(code, quote=False)}</code>"
        ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(code)), default=0))
        space = " " if code.startswith("`") or code.endswith("`") else ""
        return f"{ticks}{space}{code}{space}{ticks}"


def make_image(attributes: Mapping[str, str]) -> str:
    """Return a picture as HTML; empty attributes except `alt` are left out."""
    cleaned = {**attributes, "src": clean_address(attributes["src"])}
    used = {name: value for name, value in cleaned.items() if value or name == "alt"}
    return f"<img{''.join(_attribute(*one) for one in used.items())}>"


def separate(content: str, start: int, end: int) -> str:
    """Return the blank line that ends an HTML element which replaces `content[start:end]` in Markdown.

    It is "" unless the element has a line of its own and the next line is not blank.
    """
    prefix = content[max(0, start - 200) : start].rpartition("\n")[2]
    rest, _, following = content[end : end + 200].partition("\n")
    is_alone = not prefix.strip(" \t>") and not rest.strip()
    return f"\n{prefix.rstrip()}" if is_alone and following.partition("\n")[0].strip(" \t>") else ""


def escape_brackets(text: str) -> str:
    """Return a text that Markdown shows as it is in the text of a link."""
    return re.sub(r"[\\\[\]]", r"\\\g<0>", text)


def render_inline(text: str) -> str:
    """Return a line of Markdown as HTML without a paragraph; HTML in it stays."""
    if not _MARKUP.search(text):
        return escape(text, quote=False)
    html = markdown.render_markdown(text[:10_000]) or escape(text)
    return " ".join(re.sub(r"</?p>", " ", html).split())


def _attribute(name: str, value: str) -> str:
    return f' {name}="{escape(value)}"'
