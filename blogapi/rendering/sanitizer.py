"""Renders the content of an article to sanitized HTML."""

from __future__ import annotations

import re
from collections import Counter
from html import escape, unescape
from urllib.parse import unquote

import nh3

from blogapi.rendering import hidden_elements, html_cost, markdown, mathml, players, slugs
from blogapi.rendering.article_references import ARTICLE_REFERENCE
from blogapi.rendering.characters import COMBINING_MARKS, JOINERS
from blogapi.rendering.plain_text import FOOTNOTE_REFERENCE, INLINE_ELEMENTS, make_label
from blogapi.rendering.players import EMBED_HOSTS

# The classes that are kept; each comment names the programs that write these classes into content.
_CLASS_PATTERNS = (
    # The Markdown renderer, and the footnotes of Kramdown and Pandoc.
    r"footnotes?(?:-[\w-]+)?|reversefootnote|contains-task-list|task-list-item(?:-checkbox)?",
    # The language of a code block, as CommonMark and highlighters write it, and the highlighters' wrappers.
    r"lang(?:uage)?-\S+|highlight(?:-[\w-]+)?|hljs|sourceCode|codehilite|chroma|prettyprint",
    # Formulas, for KaTeX and MathJax.
    r"math(?:-[\w-]+)?",
    # Alignment: WordPress, Jekyll and Pelican, Bootstrap.
    r"align(?:left|right|center|none|wide|full)|(?:align|text)-(?:left|right|center|justify)",
    # Figures, and the admonitions of GitHub and Python-Markdown.
    r"figure|caption|pullquote|(?:markdown-alert|admonition)(?:-[\w-]+)?",
    # WordPress: blocks, images, galleries and captions.
    r"(?:wp|size|has|columns|blocks-gallery|gallery)-[\w-]+|gallery|screen-reader-text",
    r"is-(?:style|layout|position|type|provider|vertically-aligned|content-justification)-[\w-]+",
    r"is-(?:cropped|resized|repeated|light|image-fill|(?:not-)?stacked-on-mobile)",
    # The players of blogapi.
    r"embed(?:-[a-z]+)?",
    # Ghost: cards.
    r"kg-[\w-]+",
    # Blogger: images and their captions.
    r"separator|tr-caption(?:-container)?",
    # Quotes of posts, which the script of X (Twitter) turns into cards.
    r"twitter-tweet",
    # Text for screen readers only: Bootstrap and Tailwind.
    r"sr-only|visually-hidden",
)

CONTENT_CLASS = re.compile("|".join(_CLASS_PATTERNS))

# nh3's defaults allow neither iframes nor media players.
_ALLOWED_TAGS = nh3.ALLOWED_TAGS | {
    *("iframe", "input", "section", "video", "audio", "source", "picture", "track", "progress", "meter"),
    *("menu", "tfoot", *mathml.TAGS),
}
# Elements whose `text-align` becomes the attribute `align`.
_ALIGNED_TAGS = ("div", "h1", "h2", "h3", "h4", "h5", "h6", "p", "td", "th")
_ALLOWED_ATTRIBUTES = {
    **nh3.ALLOWED_ATTRIBUTES,
    **dict.fromkeys(mathml.TAGS, mathml.ATTRIBUTES),
    **{name: nh3.ALLOWED_ATTRIBUTES.get(name, set()) | {"align", "style"} for name in _ALIGNED_TAGS},
    "*": {"id", "title", "lang", "dir", "class"},
    "ol": {"reversed", "start", "type"},
    "ul": {"type"},
    "li": {"value"},
    "data": {"value"},
    "time": {"datetime"},
    "meter": {"high", "low", "max", "min", "optimum", "value"},
    "blockquote": {"cite"},
    "details": {"open"},
    "progress": {"value", "max"},
    "track": {"src", "kind", "srclang", "label", "default"},
    "a": {
        *("href", "hreflang", "name", "rel", "target", "aria-label"),
        *("data-footnote-ref", "data-footnote-backref"),
    },
    "section": {"data-footnotes"},
    "img": {"align", "src", "alt", "width", "height", "srcset", "sizes", "loading"},
    "iframe": {"src", "width", "height", "allowfullscreen", "title", "loading"},
    "input": {"aria-label", "checked", "disabled", "type"},
    "video": {"src", "controls", "width", "height", "poster"},
    "audio": {"src", "controls"},
    "source": {"src", "type", "srcset", "media", "sizes"},
}

# The words of `rel` that are kept; they describe the linked page, or the author's opinion of it.
_LINK_TYPES = frozenset({"nofollow", "sponsored", "ugc", "me", "author", "license", "tag"})

# Matches every <input> except for the checkboxes of task lists: form fields are useless without a form.
_FORM_FIELD = re.compile(r'<input(?![^<>]* type="checkbox")[^<>]*>')

# Matches a checkbox and the text after it, up to the end of the line or block.
_CHECKBOX = re.compile(rf"<input([^<>]*)>((?:[^<]++|</?(?:{INLINE_ELEMENTS}|img|sup)(?: [^<>]*+)?>)*+)")

# The default schemes of nh3 and these are all schemes that the HTML standard calls safe.
_URL_SCHEMES = nh3.ALLOWED_URL_SCHEMES | {"matrix", "sftp", "urn"}

# A reference to a file of the media library, such as `media:3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d`. These
# attributes can contain the reference until `media.html_resolver` replaces it.
_MEDIA_REFERENCE = re.compile(r"\s*(media:[0-9a-f-]{36})\s*", re.IGNORECASE)
_MEDIA_ATTRIBUTES = frozenset(
    {
        *(("img", "src"), ("a", "href"), ("video", "src"), ("video", "poster")),
        *(("audio", "src"), ("source", "src"), ("track", "src")),
    }
)
# A reference to another article, which `articles.responses.article_links` replaces by the address of the
# article. The fragment of the link is kept unchanged.
_ARTICLE_REFERENCE = re.compile(rf"\s*({ARTICLE_REFERENCE.pattern})(#\S*)?\s*")
_REFERENCE_SCHEMES = ("media:", "article:")
_REFERENCE_SCHEME = re.compile("|".join(_REFERENCE_SCHEMES), re.IGNORECASE)
_URL_ATTRIBUTES = frozenset({"src", "href", "poster", "cite"})
# Browsers ignore these characters at the beginning of a URL, and some of them everywhere.
_IGNORED_IN_URL = re.compile(r"[\x00-\x20]")

# The URL is matched as text, because URL parsers and browsers can disagree about the host of an unusual URL.
_EMBED_URL = re.compile(
    rf"(?:https?:)?(//(?:{'|'.join(re.escape(host) for host in sorted(EMBED_HOSTS))})/\S*)", re.IGNORECASE
)

# Elements whose content browsers do not show.
_DROPPED_WITH_CONTENT = {
    *("script", "style", "template", "title", "noembed", "noframes", "noscript"),
    *("annotation", "annotation-xml"),
}

# Rendered content contains no scripts, so only the tags of <noscript> are removed, not its content.
_NOSCRIPT = re.compile(r"</?noscript\b[^<>]*>", re.IGNORECASE)

# Elements whose content is not markup. Browsers ignore the slash at the end of the start tag, and would read
# the rest of the text as their content.
_SELF_CLOSED_TAG = re.compile(
    r"<(iframe|noembed|noframes|script|style|textarea|title|xmp)(?=[\s/])"
    # A value in braces is JavaScript (MDX).
    r"""((?:[^<>"'/{]|"[^"<]*+"|'[^'<]*+'|\{[^{}<]*+\}|\{|/(?!>))*+)/>""",
    re.IGNORECASE,
)

# These patterns are applied to the output of nh3, which quotes attribute values and escapes `<`, `>` and `"`.
_IFRAME = re.compile(r"<iframe([^<>]*)>.*?</iframe>", re.DOTALL)
_ALIGNED_TAG = re.compile(r'(<(?:t[dh]|p|div|h[1-6])\b[^<>]*) style="(\w+)"([^<>]*>)')
_ALIGN = re.compile(r' align="\w*"')
_NEW_TAB_ATTRIBUTE = ' target="_blank"'
_LINK = re.compile(r'<a((?: [a-z-]+="[^"]*+")*+)>')
_ATTRIBUTE = re.compile(r' ([a-z-]+)="([^"]*)"')
_LINK_TAG = re.compile(r"<a(?: [^<>]*)?>|</a>")
_IS_LINK_OR_ANCHOR = re.compile(r' (?:href|id|name)="')
_FRAGMENT_LINK = re.compile(r'(<a [^<>]*?href="#)([^"]+)"')

_TEXT_ALIGN = re.compile(r"(?:^|;)\s*text-align\s*:\s*(left|right|center|justify)\b", re.IGNORECASE)

# The prefix for an id of the content if a footnote that the renderer makes has the same id.
_ID_PREFIX = "user-content-"

# nh3 checks the URL schemes of all attributes except srcset. A URL can begin after a comma or white space;
# browsers ignore control characters before it.
_UNSAFE_SRCSET = re.compile(
    r"(?:^|[\s\x00-\x1f,])(?!https?:|(?-i:media:[0-9a-f-]{36}(?:[\s,]|\Z)))[a-z][a-z0-9+.-]*+:", re.IGNORECASE
)

_HEADING = re.compile(r'<h(([1-6])(?: align="\w*")?)>((?:[^<]++|<(?!/?h[1-6][ >]))*+)</h\2>')
_HEADING_NAME = re.compile(rf"(?<!\s)\s*+\{{#([\w{COMBINING_MARKS}{JOINERS}:.-]+)\}}\s*\Z")
_TAG = re.compile(r"<[^<>]*>")
# Matches start tags; a match of a comment has no name, so that tags in comments are ignored.
_START_TAG = re.compile(r"<!--.*?(?:-->|\Z)|<([a-z][\w:.-]*+)", re.DOTALL | re.IGNORECASE)

# Characters that can begin an element, a list item, a cell, a paragraph or an entity. A million of these
# characters can take two seconds and 500 MB of memory. A twentieth of the characters of a typical article are
# of this kind.
_MARKUP_CHARACTERS = "\n*_~`[]<>&|!\"'+-"
_MAX_MARKUP_CHARACTERS = 500_000

# The number of generated heading ids is limited, because making the slug of a heading takes 0.1 ms.
MAX_HEADING_IDS = 2_000
_MAX_HEADING_LENGTH = 500


def to_safe_html(content: str, content_type: str) -> str:
    """Return the content as sanitized HTML; `content_type` is html, markdown or text.

    References to files (`media:<uuid>`) and to articles (`article:<uuid>`) are kept, and must be resolved
    before the HTML is shown. Content that would take more than about two seconds to render is returned as
    escaped text.
    """
    html = _to_unsafe_html(content, content_type)
    if html is None:
        text = content if content_type == "text" else hidden_elements.remove_hidden_elements(content)
        return escape(text.replace("\0", ""), quote=False)
    footnote_mark = markdown.FOOTNOTE_MARK if content_type == "markdown" else ""
    has_references = _REFERENCE_SCHEME.search(html) is not None
    attributes = _AttributeFilter(html, footnote_mark, has_references=has_references)
    safe = nh3.clean(
        html,
        tags=_ALLOWED_TAGS,
        clean_content_tags=_DROPPED_WITH_CONTENT,
        attributes=_ALLOWED_ATTRIBUTES,
        attribute_filter=attributes,
        url_schemes=_URL_SCHEMES | {"media", "article"} if has_references else _URL_SCHEMES,
        link_rel=None,
    )
    if "<input" in safe:
        safe = _CHECKBOX.sub(_label_checkbox, _FORM_FIELD.sub("", safe))
    if _NEW_TAB_ATTRIBUTE in safe:
        safe = _LINK.sub(_add_noopener, safe)
    safe = _IFRAME.sub(_clean_iframe, safe)
    if "<math" in safe:
        safe = mathml.FORMULA_OR_TAG.sub(r"\1", safe)
    # A strict Content-Security-Policy blocks inline styles, so `align` replaces the style.
    safe = _unwrap_refused_links(_ALIGNED_TAG.sub(_convert_style_to_align, safe))
    if content_type == "markdown":
        if "<img" in safe:
            safe = _PICTURE_PARAGRAPH.sub(_replace_picture_paragraph, safe)
        safe = _HEADING.sub(attributes.add_heading_id, safe, count=MAX_HEADING_IDS)
    if attributes.renamed_ids:
        safe = _FRAGMENT_LINK.sub(attributes.rename_fragment, safe)
    return safe.replace(footnote_mark, "") if footnote_mark else safe


def is_shown_as_text(content: str, content_type: str, safe: str) -> bool:
    """Return whether `safe` is only the escaped content, because rendering the content would take long."""
    return "<" not in safe and _to_unsafe_html(content, content_type) is None


def list_removed_elements(content: str, content_type: str, safe: str) -> list[str]:
    """Return the names of the elements of the content that `safe`, its sanitized HTML, does not contain."""
    html = (_to_unsafe_html(content, content_type) if "<" in content else None) or ""
    names = Counter(name.lower() for name in _START_TAG.findall(html) if name)
    lacks_frame = names["iframe"] > safe.count("<iframe")
    return [name for name in names if name not in _ALLOWED_TAGS or (name == "iframe" and lacks_frame)]


def make_heading_id(heading: str) -> str:
    """Return the id that `to_safe_html` gives to the first Markdown heading with this plain text."""
    return _make_heading_slug(escape(heading))


def make_addresses_absolute(html: str, base: str) -> str:
    """Return sanitized HTML with all addresses resolved against `base`, for example for a feed.

    Links replace players. Alternative sizes of images are omitted, because nh3 does not resolve them.
    """
    attributes = {**_ALLOWED_ATTRIBUTES, "img": _ALLOWED_ATTRIBUTES["img"] - {"srcset", "sizes"}}
    attributes["source"] = _ALLOWED_ATTRIBUTES["source"] - {"srcset", "sizes"}
    return nh3.clean(
        players.remove_player_frames(html),
        tags=_ALLOWED_TAGS,
        attributes=attributes,
        link_rel=None,
        url_schemes=_URL_SCHEMES,
        url_relative=("rewrite_with_base", base),
    )


def _to_unsafe_html(content: str, content_type: str) -> str | None:
    """Return the content as unsafe HTML, or None if rendering it would take long."""
    if sum(map(content.count, _MARKUP_CHARACTERS)) > _MAX_MARKUP_CHARACTERS:
        return None
    if content_type == "text":
        return "".join(f"<p>{paragraph}</p>\n" for paragraph in _make_paragraphs(content))
    html: str | None = content
    if content_type == "markdown" and (html := markdown.render_markdown(content)):
        html = players.insert_players(html)
    # The sanitizer removes the attribute `hidden`, so that browsers would show the elements.
    html = html and hidden_elements.remove_hidden_elements(
        _SELF_CLOSED_TAG.sub(r"<\1\2></\1>", _NOSCRIPT.sub("", html))
    )
    return None if html is None or html_cost.is_too_expensive_to_parse(html) else html


def _make_paragraphs(text: str) -> list[str]:
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return [escape(paragraph).replace("\n", "<br>\n") for paragraph in paragraphs if paragraph]


def _clean_iframe(iframe: re.Match[str]) -> str:
    return f"<iframe{iframe[1]}></iframe>" if ' src="https://' in iframe[1] else ""


def _label_checkbox(box: re.Match[str]) -> str:
    """Return the checkbox with its text as the label for screen readers, unless the author wrote a label."""
    attributes, text = box.groups()
    if ' aria-label="' in attributes:
        return box[0]
    # A label must not be empty.
    label = escape(make_label(text) or "☐", quote=False).replace('"', "&quot;")
    return f'<input{attributes} aria-label="{label}">{text}'


def _add_noopener(link: re.Match[str]) -> str:
    """Return the link, with `noopener` if it opens a new tab, so that the tab gets no access to this page."""
    attributes = dict(_ATTRIBUTE.findall(link[1]))
    if "target" not in attributes:
        return link[0]
    attributes["rel"] = f"noopener {attributes.get('rel', '')}".rstrip()
    return "".join(["<a", *(f' {name}="{value}"' for name, value in attributes.items()), ">"])


def _convert_style_to_align(tag: re.Match[str]) -> str:
    return f'{_ALIGN.sub("", tag[1])} align="{tag[2]}"{_ALIGN.sub("", tag[3])}'


def _unwrap_refused_links(safe: str) -> str:
    """Return the HTML without the `<a>` tags whose address nh3 has removed."""
    open_links = list[str]()

    def replace_tag(tag: re.Match[str]) -> str:
        if tag[0] == "</a>":
            return "</a>" if open_links.pop() else ""
        open_links.append(tag[0] if _IS_LINK_OR_ANCHOR.search(tag[0]) else "")
        return open_links[-1]

    return _LINK_TAG.sub(replace_tag, safe)


def _make_heading_slug(words: str) -> str:
    text = _TAG.sub("", FOOTNOTE_REFERENCE.sub("", words)).replace(markdown.FOOTNOTE_MARK, "")
    return slugs.hyphenate_words(unescape(text[:_MAX_HEADING_LENGTH])) or "section"


def _is_reference(value: str) -> bool:
    return _IGNORED_IN_URL.sub("", value)[:8].lower().startswith(_REFERENCE_SCHEMES)


def _clean_reference(tag: str, attribute: str, value: str) -> str | None:
    """Return the reference, or None if it is malformed or in an attribute where it is not resolved."""
    if (tag, attribute) == ("a", "href") and (link := _ARTICLE_REFERENCE.fullmatch(value)):
        return link[1].lower() + (link[3] or "")
    reference = _MEDIA_REFERENCE.fullmatch(value)
    return reference[1].lower() if reference and (tag, attribute) in _MEDIA_ATTRIBUTES else None


class _AttributeFilter:
    """Cleans the attributes of one document; nh3 calls the instance for each attribute, in order."""

    def __init__(self, html: str, footnote_mark: str, *, has_references: bool) -> None:
        self.renamed_ids: dict[str, str] = {}
        self._has_references = has_references
        # The ids that the renderer's footnotes have after FOOTNOTE_MARK is removed.
        is_marked = footnote_mark and footnote_mark in html
        ids = re.findall(rf'id="(fn(?:ref)?-){footnote_mark}([^"]+)"', html) if is_marked else ()
        self._footnote_ids = {unescape("".join(parts)) for parts in ids}
        self._ids: set[str] = set()
        # The last number that was appended to each slug, so that the search for a free slug continues there.
        self._slugs: Counter[str] = Counter()

    def __call__(self, tag: str, attribute: str, value: str) -> str | None:
        """Return the new value of the attribute, or None to remove it."""
        if self._has_references and attribute in _URL_ATTRIBUTES and _is_reference(value):
            return _clean_reference(tag, attribute, value)
        if attribute == "id":
            # In a form of the page, the id of an input would shadow a property of the form.
            return self._keep_first_id(self._add_footnote_prefix(value)) if tag != "input" else None
        if attribute == "class":
            return " ".join(name for name in value.split() if CONTENT_CLASS.fullmatch(name)) or None
        if attribute == "rel":
            return " ".join(word for word in value.lower().split() if word in _LINK_TYPES) or None
        if attribute == "target":
            return "_blank" if value.lower() == "_blank" else None
        if attribute == "style":
            alignments = _TEXT_ALIGN.findall(value)
            return alignments[-1].lower() if alignments else None
        if attribute == "srcset":
            return None if _UNSAFE_SRCSET.search(value) else value
        if (tag, attribute) == ("iframe", "src"):
            embed = _EMBED_URL.fullmatch(value.strip())
            return f"https:{embed[1]}" if embed else None
        return value

    def add_heading_id(self, heading: re.Match[str]) -> str:
        """Return the heading with the name in `## Heading {#name}` (Hugo, Kramdown) or its slug as its id."""
        start, level, words = heading.groups()
        named = _HEADING_NAME.search(words)
        if named:
            words = words[: named.start()]
            id_ = self._keep_first_id(self._add_footnote_prefix(named[1]))
        else:
            id_ = self._make_unique_id(_make_heading_slug(words))
        return f'<h{start} id="{id_}">{words}</h{level}>' if id_ else f"<h{start}>{words}</h{level}>"

    def rename_fragment(self, link: re.Match[str]) -> str:
        """Return the link to a fragment, with the new id in the fragment if the id was renamed."""
        fragment = unescape(link[2])
        renamed = self.renamed_ids.get(fragment) or self.renamed_ids.get(unquote(fragment))
        return f'{link[1]}{renamed}"' if renamed else link[0]

    def _add_footnote_prefix(self, name: str) -> str:
        if name not in self._footnote_ids:
            return name
        return self.renamed_ids.setdefault(name, f"{_ID_PREFIX}{name}")

    def _make_unique_id(self, slug: str) -> str:
        name = slug
        while (id_ := self._add_footnote_prefix(name)) in self._ids:
            self._slugs[slug] += 1
            name = f"{slug}-{self._slugs[slug]}"
        self._ids.add(id_)
        return id_

    def _keep_first_id(self, name: str) -> str | None:
        # If an id occurs several times, links lead to the first element, so only this element keeps the id.
        if name in self._ids:
            return None
        self._ids.add(name)
        return name


# The sanitizer quotes each attribute value, and escapes `<` and `>` in it.
_PICTURE = r"(?:<a [^<>]*+><img [^<>]*+></a>|<img [^<>]*+>)"
_PICTURE_PARAGRAPH = re.compile(rf"<p>\s*+({_PICTURE}(?:\s*+(?:<br>\s*+)?{_PICTURE})*+)\s*+</p>")
_PICTURE_REGEX = re.compile(_PICTURE)
_PICTURE_TITLE = re.compile(r'(<img [^<>]*?) title="([^"]+)"')


def _replace_picture_paragraph(paragraph: re.Match[str]) -> str:
    """Return the figure or the gallery that replaces a paragraph that contains only pictures.

    The title of a picture becomes its caption, and several pictures become a gallery. A single picture
    without a title is not changed.
    """
    pictures = _PICTURE_REGEX.findall(paragraph[1])
    if len(pictures) > 1:
        return "\n".join(['<div class="gallery">', *map(_make_figure, pictures), "</div>"])
    return _make_figure(pictures[0]) if _PICTURE_TITLE.search(pictures[0]) else paragraph[0]


def _make_figure(picture: str) -> str:
    title = _PICTURE_TITLE.search(picture)
    if title is None:
        return f"<figure>{picture}</figure>"
    untitled = _PICTURE_TITLE.sub(r"\1", picture)
    caption = title[2].replace("&quot;", '"')
    return f"<figure>{untitled}<figcaption>{caption}</figcaption></figure>"
