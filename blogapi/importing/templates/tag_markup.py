"""Build the Markdown or HTML that replaces template tags and wiki links: pictures, links, players, code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Protocol
from urllib.parse import quote

from blogapi.rendering import markdown

_IMAGE = re.compile(r"\.(?:jpe?g|jfif|png|gif|webp|avif|svg|bmp|ico|heic|tiff?)(?=[?#]|$)", re.IGNORECASE)
_VIDEO = re.compile(r"\.(?:mp4|m4v|webm|ogv|mov|mkv)(?=[?#]|$)", re.IGNORECASE)
_AUDIO = re.compile(r"\.(?:mp3|m4a|ogg|oga|opus|wav|flac|3gp)(?=[?#]|$)", re.IGNORECASE)
_SIZE = re.compile(r"([0-9]{1,5})(?:px)?|[0-9]{1,3}%")
_MARKUP = re.compile(r"[*_`\[\]<&\\]|https?://")
_TICKS = re.compile("`+")
_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")
# The characters that Markdown does not allow in the address of a link.
_UNSAFE_IN_ADDRESS = re.compile(r"[\s<>()\\{}|^`\"]")


class LinkFinder(Protocol):
    """Finds the new addresses of the articles to which one record refers.

    Each method returns the address with its fragment, or None if the argument refers to no imported article.
    """

    def find_new_address(self, address: str) -> str | None:
        """Return the new address for an address or relative path as it is written in a link of the record."""
        ...

    def find_post_address(self, name: str) -> str | None:
        """Return the address of a post by its file name or path, with or without date and suffix.

        `name` is the argument of the template tags `post_url`, `link`, `ref`, `relref` and `post_link`.
        """
        ...

    def find_wiki_link_address(self, name: str) -> str | None:
        """Return the address of the article with this title, alias or file name, with or without folders."""
        ...


@dataclass(frozen=True, slots=True)
class ResolvedText:
    """A text with resolved template tags or wiki links."""

    content: str
    #: the number of unresolved tags by name; these tags are kept, or only the text between them is kept
    unresolved: Counter[str] = field(default_factory=Counter)
    notes: tuple[str, ...] = ()  #: sentences for the report of the article


def is_image(address: str) -> bool:
    return _IMAGE.search(address) is not None


def is_playable(address: str) -> bool:
    return (_VIDEO.search(address) or _AUDIO.search(address)) is not None


def clean_address(address: str) -> str:
    """Return an address in which characters that end the address in Markdown are percent-encoded."""
    return _UNSAFE_IN_ADDRESS.sub(lambda match: quote(match[0]), address.strip())


def make_picture(src: str, alt: str, sizes: Mapping[str, str], *, is_html: bool = False) -> str:
    """Return a picture as Markdown, or as HTML if `is_html` is set or `sizes` has a width or height."""
    sizes = {name: size.removesuffix("px") for name, size in sizes.items() if _SIZE.fullmatch(size)}
    src, alt = clean_address(src), " ".join(alt.split())
    if not is_html and not sizes:
        return f"![{escape_brackets(alt)}]({src})"
    attributes = "".join(f' {name}="{size}"' for name, size in sizes.items())
    return f'<img src="{escape(src)}" alt="{escape(alt)}"{attributes}>'


def make_link(text: str, address: str, *, is_html: bool = False) -> str:
    """Return a link; the text is Markdown, or HTML if `is_html`."""
    address = clean_address(address)
    return f'<a href="{escape(address)}">{text}</a>' if is_html else f"[{text}]({address})"


def make_text_link(text: str, address: str, *, is_html: bool = False) -> str:
    """Return a link whose text is plain text."""
    text = escape(text, quote=False) if is_html else escape_brackets(text)
    return make_link(text, address, is_html=is_html)


def make_player(address: str) -> str:
    element = "audio" if _AUDIO.search(address) else "video"
    return f'<{element} src="{escape(clean_address(address))}" controls></{element}>'


def make_code_block(code: str, language: str, prefix: str, *, is_html: bool) -> str:
    """Return a code block whose lines all begin with `prefix`; the first line has it already."""
    language = language if _LANGUAGE.fullmatch(language) else ""
    if is_html:
        name = f' class="language-{escape(language)}"' if language else ""
        return f"<pre><code{name}>{escape(code, quote=False)}</code></pre>"
    fence = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(code)), default=0))
    lines = [f"{fence}{language}", *(line.removeprefix(prefix) for line in code.split("\n")), fence]
    return f"\n{prefix}".join(lines)


def get_blank_line(content: str, start: int, end: int) -> str:
    """Return the blank line that Markdown needs after an HTML element in place of `content[start:end]`.

    The result is "" unless the element has a line of its own and the next line is not blank.
    """
    prefix = content[max(0, start - 200) : start].rpartition("\n")[2]
    rest, _, following = content[end : end + 200].partition("\n")
    is_alone = not prefix.strip(" \t>") and not rest.strip()
    return f"\n{prefix.rstrip()}" if is_alone and following.partition("\n")[0].strip(" \t>") else ""


def escape_brackets(text: str) -> str:
    """Return the text escaped, so that Markdown shows it unchanged in the text of a link."""
    return re.sub(r"[\\\[\]]", r"\\\g<0>", text)


def render_inline(text: str) -> str:
    """Return a line of Markdown as HTML without a paragraph; HTML in the line stays."""
    if not _MARKUP.search(text):
        return escape(text, quote=False)
    html = markdown.render_markdown(text[:10_000]) or escape(text)
    return " ".join(re.sub(r"</?p>", " ", html).split())
