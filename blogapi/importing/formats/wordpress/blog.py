"""The data that the first pass over the export files collects: address, authors, terms and attachments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from urllib.parse import unquote

from blogapi.importing.format_api.article_record import AuthorRecord
from blogapi.importing.formats.wordpress.conversion import MIME_TYPES, Attachment
from blogapi.importing.formats.wordpress.item_fields import count_name, find_rule_plugins, list_custom_fields
from blogapi.importing.texts.dates import parse_date
from blogapi.importing.texts.lines import MAX_URL_LENGTH, to_line, to_plain_line
from blogapi.importing.texts.media_references import get_extension
from blogapi.importing.texts.titles import split_address
from blogapi.importing.texts.xml_elements import Element

# The number is limited, because each link is compared with all former addresses.
_MAX_FORMER_ADDRESSES = 20
_MAX_TEXT_LENGTH = 1_000
_MAX_DESCRIPTION_LENGTH = 10_000
_QUARTER_HOUR_SECONDS = 900
# For each kind of term: the taxonomy, and the elements of the nicename, name, description and parent.
_TERM_ELEMENTS = {
    "wp:category": (
        "category", "wp:category_nicename", "wp:cat_name", "wp:category_description", "wp:category_parent"
    ),
    "wp:tag": ("post_tag", "wp:tag_slug", "wp:tag_name", "wp:tag_description", ""),
    "wp:term": ("", "wp:term_slug", "wp:term_name", "wp:term_description", "wp:term_parent"),
}  # fmt: skip
_CHANNEL_TEXTS = ("title", "link", "language", "wp:base_blog_url", "wp:base_site_url")
# `<!--:en-->text<!--:-->`, `[:en]text[:]` and `{:en}text{:}`; the marker without a language ends a text.
_LANGUAGE_MARKER = re.compile(r"(?:<!--|\[|\{):([a-z]{2}|)(?:-->|\]|\})")
# Markers in brackets or braces can be code (`items[:id]`), unless the text begins with a marker.
_COMMENT_MARKER = re.compile(r"<!--:[a-z]{2}-->")
_FIRST_MARKER = re.compile(r"\s*(?:\[:[a-z]{2}\]|\{:[a-z]{2}\})")


@dataclass(frozen=True, slots=True)
class WordPressTerm:
    id: int  #: 0 = unknown
    nicename: str
    name: str  #: plain text, never empty
    description: str  #: plain text
    parent: str  #: nicename of the parent; "" = none


@dataclass(slots=True)
class Blog:
    """The data of a blog; `add_element` is called with each element of its export files."""

    channel_texts: dict[str, str] = field(default_factory=dict)  #: by the name of the element
    authors: dict[str, AuthorRecord] = field(default_factory=dict)  #: by login in lower case
    terms: dict[tuple[str, str], WordPressTerm] = field(default_factory=dict)  #: by taxonomy and nicename
    attachments: dict[int, Attachment] = field(default_factory=dict)  #: by id
    #: position in a gallery and id of each attachment by the id of the post to which it was uploaded
    uploads: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    patterns: dict[int, str] = field(default_factory=dict)  #: texts of synced patterns by id
    utc_offsets: Counter[timedelta] = field(default_factory=Counter)  #: local time minus UTC
    first_address: str = ""  #: the address of the blog in the first item that has one
    #: the hosts and paths of the blog in the guids of its items; several if the blog has moved
    former_addresses: set[str] = field(default_factory=set)
    other_terms: Counter[str] = field(default_factory=Counter)  #: by their name in the report
    unread_rules: set[str] = field(default_factory=set)  #: plugins, see `find_rule_plugins`
    item_count: int = 0

    def add_element(self, element: Element) -> None:
        """Store the data of an element that the second pass needs."""
        if element.name == "item":
            self._add_item(element)
        elif element.name in _CHANNEL_TEXTS:
            self.channel_texts.setdefault(element.name, element.text.strip()[:_MAX_TEXT_LENGTH])
        elif element.name == "wp:author":
            login = to_line(element.get_text("wp:author_login"))
            parts = (element.get_text(f"wp:author_{part}_name") for part in ("first", "last"))
            full_name = to_plain_line(" ".join(parts))
            display_name = to_plain_line(element.get_text("wp:author_display_name"))
            candidates = (name for name in (display_name, full_name) if name and not is_mail_address(name))
            if login:
                name = next(candidates, "") or make_author_name(login)
                bio = to_plain_line(element.get_text("wp:author_description")[:_MAX_TEXT_LENGTH])
                self.authors[login.casefold()] = AuthorRecord(name=name, bio=bio)
        elif element.name in _TERM_ELEMENTS:
            taxonomy, *names = _TERM_ELEMENTS[element.name]
            nicename, name, description, parent = (
                element.get_text(element_name) if element_name else "" for element_name in names
            )
            taxonomy = taxonomy or element.get_text("wp:term_taxonomy")
            nicename = to_line(unquote(nicename))
            name = to_plain_line(name) or nicename
            if name and taxonomy in ("category", "post_tag"):
                id_ = to_id(element.get_text("wp:term_id"))
                description = to_plain_line(description)[:_MAX_DESCRIPTION_LENGTH]
                term = WordPressTerm(id_, nicename, name, description, to_line(unquote(parent)))
                self.terms[taxonomy, nicename.casefold()] = term
            elif name:
                count_name(self.other_terms, "definitions of terms of the taxonomy", to_line(taxonomy))

    def add_blog_data(self, other: Blog) -> None:
        """Add the data that another file of the same blog contains."""
        self.channel_texts = other.channel_texts | self.channel_texts
        for post, places in other.uploads.items():
            self.uploads.setdefault(post, []).extend(places)
        for name in ("authors", "terms", "attachments", "patterns", "former_addresses", "unread_rules"):
            getattr(self, name).update(getattr(other, name))
        self.utc_offsets += other.utc_offsets
        self.other_terms += other.other_terms
        self.item_count += other.item_count

    @property
    def address(self) -> str:
        """The host of the blog and the path below which it was: `example.com/blog`; "" = unknown."""
        names = ("wp:base_blog_url", "link", "wp:base_site_url")
        found = (get_blog_address(self.channel_texts.get(name, "")) for name in names)
        return next(filter(None, found), "") or self.first_address

    @property
    def offset(self) -> timedelta | None:
        """The most frequent difference between local time and UTC; None if it is unknown."""
        return self.utc_offsets.most_common(1)[0][0] if self.utc_offsets else None

    def list_uploads(self, post: int) -> Sequence[Attachment]:
        """Return the attachments that were uploaded to a post, in the order of a gallery."""
        ids = dict.fromkeys(id_ for _, id_ in sorted(self.uploads.get(post, ())))
        return [self.attachments[id_] for id_ in ids if id_ in self.attachments]

    def select_language(self, text: str, language: str = "") -> tuple[str, tuple[str, ...]]:
        """Return the text in `language` or the language of the blog, and the codes of its other languages."""
        return select_language(text, language or self.channel_texts.get("language", ""))

    def list_languages(self, text: str) -> Sequence[str]:
        """Return the language codes of a text, the language of the blog first; () if it has no markers."""
        languages = [code for code, _ in _split_languages(text) if code]
        others = self.select_language(text)[1]
        return [*dict.fromkeys(code for code in languages if code not in others), *others]

    def _add_item(self, item: Element) -> None:
        self.item_count += 1
        local, utc = (parse_date(item.get_text(name)) for name in ("wp:post_date", "wp:post_date_gmt"))
        if local and utc:
            # In some exports, one of these two times is the time of the last change.
            seconds = (local - utc).total_seconds()
            if seconds % _QUARTER_HOUR_SECONDS == 0 and abs(seconds) <= 14 * 3_600:
                self.utc_offsets[local - utc] += 1
        guid, id_ = item.get_text("guid"), item.get_text("wp:post_id")
        # The guid never changes, and it is `?p=3` even if the addresses of posts have another form.
        is_id = split_url(guid)[2] in (f"p={id_}", f"page_id={id_}")
        if is_id and len(self.former_addresses) < _MAX_FORMER_ADDRESSES:
            self.former_addresses.add(get_blog_address(guid))
        self.unread_rules.update(find_rule_plugins(item))
        if not self.first_address:
            address = guid if "?p" in guid else item.get_text("link")
            self.first_address = get_blog_address(address, is_item=True)
        is_shown = item.get_text("wp:status") == "publish" and not item.get_text("wp:post_password").strip()
        if item.get_text("wp:post_type") == "attachment" and to_id(id_):
            self._add_attachment(item, to_id(id_))
        elif item.get_text("wp:post_type") == "wp_block" and is_shown:
            self.patterns[to_id(id_)] = item.get_text("content:encoded")

    def _add_attachment(self, item: Element, id_: int) -> None:
        url = to_line(item.get_text("wp:attachment_url") or item.get_text("guid"))[:MAX_URL_LENGTH]
        alts = [value for name, value in list_custom_fields(item) if name == "_wp_attachment_image_alt"]
        alt = to_plain_line("".join(alts[:1]))[:_MAX_TEXT_LENGTH]
        parent = to_id(item.get_text("wp:post_parent"))
        caption, title = (item.get_text(name)[:_MAX_TEXT_LENGTH] for name in ("excerpt:encoded", "title"))
        mime_type = MIME_TYPES.get(get_extension(split_url(url)[1]), "")
        self.attachments[id_] = Attachment(url, alt, caption, to_plain_line(title), mime_type)
        if parent:
            place = to_id(item.get_text("wp:menu_order"))
            self.uploads.setdefault(parent, []).append((place, id_))


def to_id(text: str) -> int:
    """Return the number that the text consists of, or 0."""
    return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else 0


def is_mail_address(text: str) -> bool:
    name, _, host = text.partition("@")
    return bool(name) and "." in host[1:-1] and "@" not in host and text.split() == [text]


def make_author_name(login: str) -> str:
    """Return the login as the name of an author, without the host if the login is a mail address."""
    return login.split("@")[0] or login if is_mail_address(login) else login


def split_url(url: str) -> tuple[str, str, str]:
    """Return host, path and query of a URL; ("", "", "") if it is not valid."""
    parts = split_address(url)
    return parts.netloc.rpartition("@")[2].lower(), parts.path, parts.query


def get_blog_address(url: str, *, is_item: bool = False) -> str:
    """Return host and path of a URL without the last slash; for the permalink of an item, only the host."""
    host, path, query = split_url(url)
    path = "" if is_item and not query else path.rstrip("/")
    return f"{host}{path}" if host else ""


def select_language(text: str, language: str = "") -> tuple[str, tuple[str, ...]]:
    """Return the text in one language, and the codes of its other languages ("de").

    `language` is the language of the blog ("en-US"); a text without it is returned in its first language.
    """
    parts = _split_languages(text)
    if not parts:
        return text, ()
    languages = [*dict.fromkeys(code for code, part in parts if code and part.strip())]
    wanted = language[:2].lower()
    selected = wanted if wanted in languages else "".join(languages[:1])
    chosen = "".join(part for code, part in parts if code in ("", selected))
    return chosen, tuple(code for code in languages if code != selected)


def _split_languages(text: str) -> list[tuple[str, str]]:
    """Return the parts of a text with their languages; [] if the text has no language marker."""
    if not (_COMMENT_MARKER.search(text) or _FIRST_MARKER.match(text)):
        return []
    # The text before the first marker belongs to all languages.
    pieces = ["", *_LANGUAGE_MARKER.split(text)]
    return [*zip(pieces[::2], pieces[1::2], strict=True)]
