"""Convert posts of the block editor: `<!-- wp:name {"attribute": 1} -->HTML<!-- /wp:name -->`.

The HTML of most blocks is complete, so only the comments are removed. `_RENDERERS` has the other blocks that
can be converted. Blocks whose HTML only the server of WordPress creates are counted as `wp:name`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape

from blogapi.importing.formats.wordpress.conversion import Conversion
from blogapi.importing.formats.wordpress.media_html import embed_address

_DELIMITER = re.compile(
    r"<!--\s*+(?P<end>/?)wp:(?:core/)?(?P<name>[a-z][\w/-]*+)(?P<attributes>(?s:.*?))(?P<void>/?)-->"
)
ANY_DELIMITER = re.compile(r"<!--\s*+/?wp:[a-z]")
_ADDRESS = re.compile(r"https?://[^\s<>\"]++")
_CAPTION_START = re.compile(r"<figcaption\b[^<>]*+>", re.IGNORECASE)
_CODE_START = re.compile(r"<code\b(?![^<>]*\bclass=)|<pre\b[^<>]*>(?!\s*<code)", re.IGNORECASE)

# Deeper blocks are not converted, because each level copies the text of the inner blocks.
_MAX_DEPTH = 20
_MAX_ATTRIBUTES_LENGTH = 100_000

Attributes = dict[str, object]
Renderer = Callable[[Attributes, str, Conversion], "str | None"]


def find_delimiters(text: str) -> Iterator[re.Match[str]]:
    # Stop at the last `-->`: delimiters after it are text, and searching for their ends would be slow.
    return _DELIMITER.finditer(text, 0, text.rfind("-->") + 3)


@dataclass(slots=True)
class _OpenBlock:
    name: str
    attributes: str
    is_empty: bool = True
    html: list[str] | None = None  #: None = the HTML belongs to the next outer block


@dataclass(slots=True)
class _BlockConverter:
    conversion: Conversion
    convert_freeform: Callable[[str], str]
    open_blocks: list[_OpenBlock] = field(default_factory=list)
    names: Counter[str] = field(default_factory=Counter)
    outputs: list[list[str]] = field(default_factory=lambda: [[]])

    def write_html(self, html: str) -> None:
        if self.open_blocks:
            self.open_blocks[-1].is_empty &= not html.strip()
        is_freeform = (not self.open_blocks or self.open_blocks[-1].name == "freeform") and html.strip()
        self.outputs[-1].append(f"\n{self.convert_freeform(html)}\n" if is_freeform else html)

    def start_block(self, name: str, attributes: str) -> None:
        if self.open_blocks:
            self.open_blocks[-1].is_empty = False
        block = _OpenBlock(name, attributes)
        if name in _RENDERERS and len(self.outputs) < _MAX_DEPTH:
            block.html = []
            self.outputs.append(block.html)
        self.open_blocks.append(block)
        self.names[name] += 1

    def end_block(self, name: str) -> None:
        """Close the block and the unclosed blocks in it; an end without a start is ignored."""
        while self.names[name]:
            block = self.open_blocks.pop()
            self.names[block.name] -= 1
            inner, rendered = "", None
            if block.html is not None:
                inner, attributes = "".join(self.outputs.pop()), parse_attribute_json(block.attributes) or {}
                rendered = _RENDERERS[block.name](attributes, inner, self.conversion)
            if rendered is None and block.is_empty and block.name not in _BLOCKS_ALLOWED_EMPTY:
                self.conversion.unconverted[f"wp:{block.name}"] += 1
            self.outputs[-1].append(inner if rendered is None else rendered)
            if block.name == name:
                return


def convert_blocks(text: str, conversion: Conversion, convert_freeform: Callable[[str], str]) -> str:
    """Return the HTML of the blocks; `convert_freeform` converts the text that is outside of blocks."""
    converter = _BlockConverter(conversion, convert_freeform)
    position = 0
    for found in find_delimiters(text):
        converter.write_html(text[position : found.start()])
        position = found.end()
        name = "embed" if found["name"].startswith("core-embed/") else found["name"]
        if not found["end"]:
            converter.start_block(name, found["attributes"])
        if found["end"] or found["void"]:
            converter.end_block(name)
    converter.write_html(text[position:])
    while converter.open_blocks:
        converter.end_block(converter.open_blocks[-1].name)
    return "".join(converter.outputs[0])


def parse_attribute_json(attributes: str) -> Attributes | None:
    """Return the attributes of a block; None if they are not a JSON object, or too long."""
    if not attributes.strip():
        return {}
    try:
        parsed = json.loads(attributes) if len(attributes) <= _MAX_ATTRIBUTES_LENGTH else None
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def _get_text_attribute(attributes: Attributes, name: str) -> str:
    value = attributes.get(name)
    return value if isinstance(value, str) else ""


def _render_embed(attributes: Attributes, inner: str, conversion: Conversion) -> str | None:
    address = _ADDRESS.search(_CAPTION_START.split(inner)[0])
    url = address[0] if address else escape(_get_text_attribute(attributes, "url"))
    if not url or "<iframe" in inner or "<a " in _CAPTION_START.split(inner)[0]:
        return None
    _, *captions = _CAPTION_START.split(inner, 1)
    caption = captions[0].partition("</figcaption")[0] if captions else ""
    return embed_address(url, conversion, caption)


def _render_background(attributes: Attributes, inner: str, conversion: Conversion) -> str | None:
    """Return the HTML with the background picture as `<img>`, or None if it has the picture already."""
    url = _get_text_attribute(attributes, "url") or _get_text_attribute(attributes, "mediaUrl")
    if not url or f'src="{url}"' in inner or f'src="{escape(url)}"' in inner:
        return None
    if any(part in inner for part in ("__image-background", "__video-background", 'media-text__media"><')):
        return None
    start, alt = inner.find(">") + 1, escape(_get_text_attribute(attributes, "alt"))
    return f'{inner[:start]}<img src="{escape(url)}" alt="{alt}" />{inner[start:]}'


def _render_code(attributes: Attributes, inner: str, conversion: Conversion) -> str | None:
    language = _get_text_attribute(attributes, "language") or _get_text_attribute(attributes, "lang")
    if not re.fullmatch(r"[\w#+.-]{1,40}", language) or language in ("plain", "text", "plaintext"):
        return None
    tag, name = _CODE_START.search(inner), f'class="language-{language}"'
    if not tag:
        return inner
    start = f"{tag[0]} {name}" if tag[0][:5].lower() == "<code" else f"<pre {name}>"
    return inner[: tag.start()] + start + inner[tag.end() :]


def _render_footnotes(attributes: Attributes, inner: str, conversion: Conversion) -> str | None:
    footnotes, conversion.footnotes = conversion.footnotes or "[]", ""  # A post has only one such block.
    try:
        notes = json.loads(footnotes)
        items = [
            f'<li id="{escape(note["id"])}">{note["content"]} '
            f'<a href="#{escape(note["id"])}-link" aria-label="↩">↩</a></li>'
            for note in notes
        ]
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return None
    return f'<ol class="wp-block-footnotes">{"".join(items)}</ol>' if items else None


_RENDERERS: dict[str, Renderer] = {
    "embed": _render_embed,
    "cover": _render_background,
    "media-text": _render_background,
    "footnotes": _render_footnotes,
    **dict.fromkeys(("code", "syntaxhighlighter/code", "enlighter/codeblock"), _render_code),
}
#: Blocks that are complete even if they are empty
_BLOCKS_ALLOWED_EMPTY = {"spacer", "separator", "more", "nextpage", "html", "shortcode", "freeform"}
