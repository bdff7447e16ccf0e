"""The export files of one or several WordPress blogs as a source of the import."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from xml.sax import SAXParseException

from defusedxml import DefusedXmlException

from blogapi.importing.format_api.report import Item, report_problem
from blogapi.importing.format_api.source import CONTRACT_VERSION, FileSource, Format, ImportOptions
from blogapi.importing.format_api.source_files import Entry, open_file
from blogapi.importing.formats.wordpress import article_records
from blogapi.importing.formats.wordpress.article_records import RecordMaker
from blogapi.importing.formats.wordpress.blog import Blog, get_blog_address
from blogapi.importing.refusals import NotAnArticle, RefusedFile
from blogapi.importing.texts.lines import find_codec
from blogapi.importing.texts.messages import format_count
from blogapi.importing.texts.xml_elements import Element, ElementBuilder, decode_file, read_channel
from blogapi.rendering.slugs import make_term_key

# Matches an unfinished CDATA mark or reference at the end of a chunk, which the next chunk can finish.
_UNFINISHED_MARKUP = re.compile(r"(?:\]{1,2}|<[^<>]{0,12}|&[^&;<]{0,33})\Z")
_MAX_XML_START_LENGTH = 10
_XML_START = re.compile(r"<(?:\?xml|rss|channel|item)\b")
_SECTION_BOUNDARY = re.compile(r"(<!\[CDATA\[|\]\]>|</rss\s{0,9}>)")
_INVALID_CHARACTERS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udc7f\udd00-\udfff\ufffe\uffff]+")
# `surrogateescape` decodes invalid bytes to these characters.
_INVALID_BYTES = re.compile(r"[\udc80-\udcff]+")
_REFERENCE = re.compile(r"&(?:#[0-9]{1,7};|#x[0-9a-fA-F]{1,6};|[A-Za-z][A-Za-z0-9]{1,31};)?")
_XML_ENTITIES = frozenset({"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"})

MAX_FILE_BYTES = 8 * 1024**3
_DTD_REFUSAL = (
    "It has a document type declaration, which could be an attack; remove the declaration (`<!DOCTYPE …>`)."
)
# Matches the declaration of the namespace, or elements of WordPress, as some files have no declarations.
_WXR_MARK = re.compile(
    r"xmlns:[\w.-]+\s{0,9}=\s{0,9}[\"']https?://(?:www\.)?wordpress\.org/export/"
    r"|<wp:(?:wxr_version|base_(?:site|blog)_url|author|category|tag|term|post_(?:id|type|date|name))>"
    r"|^\s*<item>.*<(?:content|excerpt):encoded>",
    re.IGNORECASE | re.DOTALL,
)
_WXR_SUFFIXES = (".xml", ".wxr", ".rss")


def repair_xml(chunks: Iterable[str], repairs: Counter[str]) -> Iterator[str]:
    """Yield the text with only characters and references that XML allows; count the repairs by their names.

    Text before the first element and after the last element is removed.
    """
    is_section = False
    parts = _split_at_boundaries(chunks, repairs)
    for part in parts:
        if part == "]]>" and not is_section:
            yield "]]&gt;"
            continue
        if _SECTION_BOUNDARY.fullmatch(part):
            is_end = part.startswith("</") and not is_section
            is_section = part.startswith("<!") or (is_section and part != "]]>")
            yield part
            if is_end:
                # Yield a second export in the same file too, so that the parser reports an error.
                yield from (rest for rest in parts if "<item" in rest)
                return
        else:
            yield part if is_section else _REFERENCE.sub(lambda it: _unescape_reference(it[0], repairs), part)


def _split_at_boundaries(chunks: Iterable[str], repairs: Counter[str]) -> Iterator[str]:
    """Yield the text in parts, without invalid characters; each boundary of a CDATA section is one part."""
    rest, is_started = "", False
    for chunk in chunks:
        text, count = _INVALID_CHARACTERS.subn("", chunk)
        repairs["control characters"] += count
        if not text.isascii():
            text, count = _INVALID_BYTES.subn(
                lambda found: found[0].encode("utf-8", "surrogateescape").decode("cp1252", "replace"), text
            )
            repairs["bytes that are not valid in its encoding"] += count
        text = rest + text
        if not is_started:
            start = _XML_START.search(text)
            position = start.start() if start else max(0, len(text) - _MAX_XML_START_LENGTH)
            repairs["text outside of the XML elements"] |= position > 0
            text, is_started = text[position:], start is not None
            if not is_started:
                rest = text
                continue
        unfinished = _UNFINISHED_MARKUP.search(text)
        end = unfinished.start() if unfinished else len(text)
        yield from filter(None, _SECTION_BOUNDARY.split(text[:end]))
        rest = text[end:]
    yield rest if is_started else ""


def _unescape_reference(reference: str, repairs: Counter[str]) -> str:
    character = html.unescape(reference)
    if character == reference:
        repairs["unescaped “&”"] += 1
    elif not reference.startswith("&#") and reference not in _XML_ENTITIES:
        repairs["HTML entities"] += 1
    return html.escape(_INVALID_CHARACTERS.sub("", character))


class MalformedFile(Exception):
    """The file is not well-formed; reading it with repairs can help."""


@dataclass(slots=True)
class ExportFile:
    """A WXR file; its attributes describe the most recent call of `read_elements`."""

    entry: Entry
    problem: RefusedFile | NotAnArticle | None  #: why the file is refused
    blog: Blog = field(default_factory=Blog)  #: the data of the blog in the file
    is_repaired: bool = False  #: whether `read_elements` repairs the file
    is_incomplete: bool = False
    unfinished_title: str | None = None  #: the title of the item in which the file ends
    repairs: Counter[str] = field(default_factory=Counter)

    def read_elements(self) -> Iterator[Element]:
        """Yield the children of the channel.

        Raises MalformedFile if the file is not well-formed, and RefusedFile if the file cannot be read.
        """
        self.repairs = Counter()
        builder = ElementBuilder()
        with open_file(self.entry.path, MAX_FILE_BYTES) as file:
            try:
                text = decode_file(file, is_strict=not self.is_repaired)
                yield from read_channel(repair_xml(text, self.repairs) if self.is_repaired else text, builder)
            except DefusedXmlException as error:
                raise RefusedFile(_DTD_REFUSAL) from error
            except (SAXParseException, UnicodeError) as error:
                raise MalformedFile(str(error)) from error
            except OSError as error:
                raise RefusedFile("It cannot be read to its end; check the disk.") from error
        self.is_incomplete = builder.missing_end is not None
        unfinished = builder.get_unfinished_item()
        self.unfinished_title = unfinished.get_text("title")[:100] if unfinished else None


class WordPressSource(FileSource):
    """All WXR files of an import.

    WordPress splits long exports, so that the attachments of a post can be in another file. The files of
    one blog are read together, in two passes: the first collects terms, authors and attachments, and the
    second makes the records.
    """

    def __init__(self, entries: Sequence[Entry], options: ImportOptions) -> None:
        super().__init__(entries, options)
        folders = dict.fromkeys(entry.path.parent for entry in entries)
        uploads = (folder / name for folder in folders for name in ("wp-content/uploads", "uploads"))
        self.assets = [path for path in uploads if path.is_dir()]
        self._files = {entry: _scan_file(entry) for entry in entries}
        self._blogs: dict[str, Blog] = {}
        for file in self._files.values():
            if not file.problem:
                blog = self._blogs.setdefault(self._find_blog_address(file.blog), file.blog)
                if blog is not file.blog:
                    blog.add_blog_data(file.blog)
        self._makers = {
            address: RecordMaker(blog, address, options, self.left_behind)
            for address, blog in self._blogs.items()
        }
        self.total = sum(blog.item_count for blog in self._blogs.values()) + len(self._files)
        self.hosts = {host for pair in self._blogs.items() for host in _list_hosts(*pair)}
        self.terms = [*article_records.list_terms(self._blogs.values())]
        plugins = sorted({plugin for blog in self._blogs.values() for plugin in blog.unread_rules})
        self.unread_rules = " and ".join(plugins)
        for file in (file for file in self._files.values() if not file.problem):
            sentences = []
            repairs = [f"{name}: {number:,}" for name, number in sorted((+file.repairs).items())]
            if repairs or file.is_repaired:
                details = f" ({'; '.join(repairs)})" if repairs else ""
                sentences.append(f"The file is not well-formed XML and was repaired{details}.")
            if file.is_incomplete:
                sentences.append("The file is incomplete: its end is missing; export the blog again.")
            if file.unfinished_title is not None:
                title = file.unfinished_title
                sentences.append(f"It ends inside of the item “{title}”, which was left out.")
            self.notes += [f"{file.entry.key}: {' '.join(sentences)}"] if sentences else []
        attachments = sum(len(blog.attachments) for blog in self._blogs.values())
        if attachments and not (self.assets or self.options.assets):
            self.notes.append(
                f"The export names {format_count(attachments, 'media file')} and does not contain them. "
                "Put the folder `wp-content/uploads` of the blog beside the export, or name it with --assets."
            )

    def read(self) -> Iterator[Item]:
        yield from super().read()
        for maker in self._makers.values():
            self.left_behind += maker.blog.other_terms
            # WordPress allows several terms with the same name under different parents.
            slugs = [(taxonomy, make_term_key(term.name)) for (taxonomy, _), term in maker.blog.terms.items()]
            self.left_behind["categories and tags with the name of another one"] += len(slugs) - len({*slugs})
            names = {author.name for author in maker.blog.authors.values()}
            self.left_behind["authors without posts"] += len(names - maker.author_names)
        self.left_behind = +self.left_behind

    def read_entry(self, entry: Entry) -> Iterator[Item]:
        file = self._files[entry]
        if file.problem:
            raise file.problem
        maker = self._makers[self._find_blog_address(file.blog)]
        try:
            for element in (element for element in file.read_elements() if element.name == "item"):
                try:
                    with suppress(NotAnArticle):
                        yield from maker.make_records(element, entry)
                except RefusedFile as error:
                    title = element.get_text("title")[:200]
                    yield report_problem(maker.make_key(element), error, entry.key, title)
        except (MalformedFile, RefusedFile) as error:
            raise RefusedFile(f"It changed during the import ({error}); import it again.") from error

    def _find_blog_address(self, blog: Blog) -> str:
        """Return the address of the blog.

        If the file has no address, return the address in the other files if all have the same, else "".
        """
        own_address = get_blog_address(self.options.base_url) or blog.address
        if own_address:
            return own_address
        other_addresses = {file.blog.address for file in self._files.values()} - {""}
        return other_addresses.pop() if len(other_addresses) == 1 else ""


def _scan_file(entry: Entry) -> ExportFile:
    """Read a file for the first time, with repairs if it is not well-formed."""
    file = ExportFile(entry, entry.problem)
    if file.problem:
        return file
    try:
        with suppress(MalformedFile):
            file.blog = _collect_blog(file)
            return file
        file.is_repaired = True
        file.blog = _collect_blog(file)
    except RefusedFile as error:
        file.problem = error
    except MalformedFile as error:
        reason = f"It is not XML that can be repaired ({error}); export the blog again from WordPress."
        file.problem = RefusedFile(reason)
    return file


def _collect_blog(file: ExportFile) -> Blog:
    blog = Blog()
    for element in file.read_elements():
        blog.add_element(element)
    if not (blog.item_count or blog.channel_texts or blog.terms or blog.authors):
        raise RefusedFile("It is not a WordPress export; leave out --format, or export the blog again.")
    return blog


def _list_hosts(address: str, blog: Blog) -> set[str]:
    named = (get_blog_address(blog.channel_texts.get(name, "")) for name in ("link", "wp:base_blog_url"))
    files = (get_blog_address(file.url).partition("/")[0] for file in blog.attachments.values())
    of_files = (host for host in files if host.endswith(".files.wordpress.com"))
    return {address, blog.address, *blog.former_addresses, *named, *of_files} - {""}


def is_wxr_file(entry: Entry, head: bytes) -> bool:
    """Return whether a file is a WXR file or a part of one; `head` has its first bytes."""
    text = head.decode(find_codec(head), "replace").lstrip("\ufeff\0 \t\r\n")
    # Text before the XML declaration can be a warning of PHP; but a post can also quote WXR.
    is_xml = text.startswith("<") or entry.path.suffix.lower() in _WXR_SUFFIXES
    return is_xml and _WXR_MARK.search(text) is not None


FORMAT = Format(name="wordpress", contract=CONTRACT_VERSION, detect=is_wxr_file, open_source=WordPressSource)
