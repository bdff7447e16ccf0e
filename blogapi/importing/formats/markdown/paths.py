"""Derive the content type, date, name and slug of an article from its path; refuse files of other systems."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from anyascii import anyascii

from blogapi.importing.refusals import NotAnArticle, RefusedFile
from blogapi.importing.texts import dates
from blogapi.importing.texts.lines import to_line

_CONTENT_TYPES = {
    **dict.fromkeys(("md", "markdown", "mkd", "mkdn", "mdown", "rmd", "text", "mdx"), "markdown"),
    **dict.fromkeys(("html", "htm"), "html"),
    "txt": "text",
}
# Unsupported formats of articles, and the commands that convert them to Markdown.
_ASCIIDOC_FORMAT = ("AsciiDoc", "asciidoctor -b docbook5 FILE` and `pandoc -f docbook -t gfm")
_OTHER_FORMATS = {
    **dict.fromkeys(("adoc", "asciidoc", "asc"), _ASCIIDOC_FORMAT),
    **dict.fromkeys(("rst", "rest"), ("reStructuredText", "pandoc -f rst -t gfm")),
    "org": ("Org", "pandoc -f org -t gfm"),
    "textile": ("Textile", "pandoc -f textile -t gfm"),
    "ipynb": ("a Jupyter notebook", "jupyter nbconvert --to markdown"),
    **dict.fromkeys(("docx", "odt"), ("a document of an office program", "pandoc -t gfm")),
}
# Files of these formats are often attachments of articles.
_ATTACHMENT_SUFFIXES = {"ipynb", "docx", "odt"}
# Names of folders with many articles, in lower case; such a name does not describe a single article.
POST_FOLDERS = {"post", "posts", "_posts", "article", "articles", "entries"}
_COLLECTION_FOLDERS = {
    *POST_FOLDERS,
    *("blog", "blogs", "news", "notes", "journal", "content", "contents", "pages", "source", "_source"),
    *("src", "drafts", "_drafts", "docs"),
}
# A region or a script has two to four characters; longer parts are words, as in `crates.io-incident.md`.
_LANGUAGE_SUFFIX = r"(?P<language>\.[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,4})*)?"
_INDEX_NAME = re.compile(rf"index{_LANGUAGE_SUFFIX}", re.IGNORECASE)
_README_NAME = re.compile(rf"readme{_LANGUAGE_SUFFIX}", re.IGNORECASE)
_SECTION_NAME = re.compile(rf"_index{_LANGUAGE_SUFFIX}", re.IGNORECASE)
_NOTION_ID = re.compile(r"(?<=\S) [0-9a-f]{32}$")
_LEKTOR_PAGE = re.compile(r"contents(?:\+[\w-]++)?\.lr")
_JEKYLL_POST_FOLDERS = {"_posts", "_drafts"}
_NUMERIC = re.compile(r"[0-9._-]*")
_REPOSITORY_FILE = re.compile(
    r"(?P<name>readme|licen[cs]e|copying|copyright|notice|patents|citation|changelog|changes|history|releases"
    r"|release[-_]notes|upgrading|todo|install|contributing|contributors|code[-_]of[-_]conduct|security|support"
    r"|governance|authors|maintainers|codeowners|acknowledge?ments|dco|issue[-_]template"
    r"|pull[-_]request[-_]template|cname)(?P<rest>[-_.].*)?",
    re.IGNORECASE,
)
_REPOSITORY_TEXT_FILE = re.compile(
    r"(?:robots|humans|security|(?:app-)?ads|llms(?:-full)?|cmakelists|manifest"
    r"|(?:[\w.-]{1,100}[._-])?(?:requirements|constraints)(?:[._-][\w.-]{1,100})?)\.txt",
    re.IGNORECASE,
)

REPOSITORY_FILE_NOTE = (
    "It has the name of a repository file (like README or LICENSE); rename it if it is an article."
)

# In Grav, a file is named after its template, and the folders of pages in menus begin with a number.
_GRAV_FOLDER = re.compile(r"[0-9]{2}\..+")
_GRAV_PAGE = re.compile(r"(?:item|default|modular|blog_item)(?:\.[a-z]{2})?\.md")
_GRAV_POST = re.compile(r"item(?:\.[a-z]{2})?\.md")
# Kirby writes `Name: value`, and a line of dashes between the fields.
_KIRBY_FIELD = re.compile(r"\s*+[A-Za-z][\w-]{0,40}:")
_KIRBY_SEPARATOR = re.compile(r"\n\n----[ \t]*+\n\s*+[A-Za-z][\w-]{0,40}:")


def get_content_type(key: str) -> str:
    """Return "markdown", "html" or "text", depending on the suffix of the file.

    Raises NotAnArticle if the file has another suffix or is a section page of Hugo or Zola, and RefusedFile
    if it is in another format for articles, such as AsciiDoc.
    """
    stem, suffix = _split_suffix(key)
    if _SECTION_NAME.fullmatch(stem):
        raise NotAnArticle("It is a section page (`_index`), which lists articles but is not an article.")
    if _LEKTOR_PAGE.fullmatch(key.rpartition("/")[2]):
        raise make_system_refusal("Lektor")
    if suffix.casefold() in _OTHER_FORMATS:
        raise make_format_refusal(key, suffix.casefold())
    if suffix.casefold() not in _CONTENT_TYPES:
        raise NotAnArticle(
            f"“{key.rpartition('/')[2]}” is not a Markdown, HTML or text file; media files are imported with "
            "the articles that refer to them."
        )
    return _CONTENT_TYPES[suffix.casefold()]


def make_format_refusal(key: str, suffix: str) -> NotAnArticle | RefusedFile:
    """Return the refusal of a file with the suffix of an unsupported format."""
    name, command = _OTHER_FORMATS[suffix]
    if is_repository_file(key):
        return NotAnArticle(REPOSITORY_FILE_NOTE)
    kind = NotAnArticle if suffix in _ATTACHMENT_SUFFIXES else RefusedFile
    return kind(
        f"It is {name}, which is not read; convert it to Markdown, for example with `{command}`, and keep "
        "its fields as front matter."
    )


def make_system_refusal(name: str) -> RefusedFile:
    """Return the refusal of a page of an unsupported system."""
    return RefusedFile(
        f"It is a page of {name}, which is not read; write each page as a Markdown file with front matter "
        f"(`title`, `date`, `draft`), for example with a template of {name} that prints the fields and the "
        "text, and import these files."
    )


def is_repository_file(key: str) -> bool:
    """Return whether a file name is typical of software repositories, such as `README.md` or `robots.txt`.

    A name in capitals can have any ending (`LICENSE-MIT`). Other names can only be followed by a language
    (`readme.fr`), because `2020-01-01-readme.md` and `security-of-locks.md` are articles.
    """
    if _REPOSITORY_TEXT_FILE.fullmatch(key.rpartition("/")[2]):
        return True
    match = _REPOSITORY_FILE.fullmatch(_split_suffix(key)[0])
    return match is not None and (
        match["name"].isupper() or re.fullmatch(_LANGUAGE_SUFFIX, match["rest"] or "") is not None
    )


def is_readme(key: str) -> bool:
    """Return whether the file is a `README.md`, which is the page of its folder in VuePress."""
    return _has_article_name(key, _README_NAME)


def is_section(key: str) -> bool:
    """Return whether the file is a section page of Hugo or Zola, such as `_index.md` or `_index.fr.md`."""
    return _has_article_name(key, _SECTION_NAME)


def is_index(key: str) -> bool:
    """Return whether the file is the index page of its folder, such as `index.md` or `index.fr.md`."""
    return _has_article_name(key, _INDEX_NAME)


def _has_article_name(key: str, name: re.Pattern[str]) -> bool:
    stem, suffix = _split_suffix(key)
    return suffix.casefold() in _CONTENT_TYPES and name.fullmatch(stem) is not None


def is_in_post_folder(key: str) -> bool:
    """Return whether the file is in the folder of posts, or of drafts, of Jekyll or Hexo."""
    return not _JEKYLL_POST_FOLDERS.isdisjoint(key.split("/")[:-1])


def is_page_by_folder(key: str, *, is_dated: bool) -> bool:
    """Return whether the folder of a file makes the file a page.

    Files in `_pages` are pages, and so are files without a date in `pages` and `content`.
    """
    folders = key.split("/")[:-1]
    if is_index(key) or is_readme(key):
        folders = folders[:-1]
    folder = folders[-1] if folders else ""
    return folder == "_pages" or (folder in ("content", "pages") and not is_dated)


def get_page_path(key: str) -> str:
    """Return the path of the page in a file; the paths of its child pages begin with this path."""
    return key.rpartition("/")[0] if is_index(key) else key.rpartition(".")[0]


def get_language(key: str) -> str:
    """Return the language in the file name, in lower case (`post.pt-BR.md` gives "pt-br"), or ""."""
    match = re.fullmatch(rf".+?{_LANGUAGE_SUFFIX}", _split_suffix(key)[0])
    return ((match and match["language"]) or "").lstrip(".").casefold()


def _split_suffix(key: str) -> tuple[str, str]:
    stem, dot, suffix = key.rpartition("/")[2].rpartition(".")
    return (stem, suffix) if dot else (suffix, "")


@dataclass(frozen=True, slots=True)
class PathInfo:
    """The name and the date of an article, derived from the path of its file."""

    name: str  #: the file name (for `index.md`: the folder name) without date and suffix, never empty
    slug: str  #: the name, with the date if addresses keep it; "" for the page of a folder with many articles
    day: date | None  #: the date in the file name, or else in the folder names
    has_date_prefix: bool  #: whether the file name begins with a date that is removed, as in Jekyll's posts


def parse_path(key: str, *, keeps_date: bool = False) -> PathInfo:
    """Return the name and the date of an article, derived from the path `key`.

    With `keeps_date`, a date at the start of the name is also a part of the slug; see `generators`.
    """
    folders = key.split("/")[:-1]
    # Notion adds the id of the page.
    full_name = _NOTION_ID.sub("", _split_suffix(key)[0])
    day, name = dates.split_date_prefix(full_name)
    has_date_prefix = day is not None and not keeps_date
    index = _INDEX_NAME.fullmatch(name) or _README_NAME.fullmatch(full_name)
    is_collection = index is not None
    if index and folders:
        folder_day, name = dates.split_date_prefix(folders[-1])
        is_collection = name.casefold() in _COLLECTION_FOLDERS or _NUMERIC.fullmatch(name) is not None
        language = index["language"] or ""
        day, name, full_name = day or folder_day, name + language, folders[-1] + language
    name = to_line(name) or "untitled"
    slug = to_line(full_name) if keeps_date else name
    return PathInfo(
        name=name,
        slug="" if is_collection else slug,
        day=day or dates.find_date_in_path("/".join(folders)),
        has_date_prefix=has_date_prefix,
    )


def list_term_folders(key: str) -> list[str]:
    """Return the folders below the imported folder whose names can be categories, outermost first.

    Leaves out folders of years, the folder of an `index.md`, and folders such as `posts`.
    """
    folders = key.split("/")[1:-1]
    if is_index(key) or is_readme(key):
        folders = folders[:-1]
    # Jekyll's collections are folders such as `_projects`.
    names = [name.removeprefix("_") for name in folders]
    return [it for it in names if it.casefold() not in _COLLECTION_FOLDERS and not _NUMERIC.fullmatch(it)]


def make_pelican_slug(title: str) -> str:
    """Return the slug that Pelican makes of a title: `What's new in 1.2?` gives "whats-new-in-12"."""
    ascii_punctuation = "".join(letter if letter.isalnum() else anyascii(letter) for letter in title)
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", ascii_punctuation).strip()).lower()


def refuse_unsupported_path(path: Path, key: str, levels: int) -> None:
    """Raise RefusedFile if a file belongs to Grav, Statamic or Kirby; looks into `levels` outer folders."""
    is_page = _GRAV_PAGE.fullmatch(path.name) and any(map(_GRAV_FOLDER.fullmatch, key.split("/")[:-1]))
    if is_page or (_GRAV_POST.fullmatch(path.name) and (path.parent.parent / "blog.md").is_file()):
        raise make_system_refusal("Grav")
    for outer in path.parents[:levels]:
        first, *inner = path.relative_to(outer).parts
        if first == "pages" and (outer / "config" / "system.yaml").is_file():
            raise make_system_refusal("Grav")
        if outer.name == "collections" and inner and (outer / f"{first}.yaml").is_file():
            raise make_system_refusal("Statamic")
        if first == "content" and any(map(Path.is_dir, (outer / "kirby", outer / "site" / "blueprints"))):
            raise make_system_refusal("Kirby")


def refuse_unsupported_text(key: str, text: str, generator: str) -> None:
    """Raise RefusedFile if a text file belongs to Kirby, or is reStructuredText of Nikola."""
    header = text.strip().partition("\n\n")[0]
    if "\n.. title:" in f"\n{header}" or generator == "nikola":
        raise make_format_refusal(key, "rst")
    if _KIRBY_FIELD.match(text) and _KIRBY_SEPARATOR.search(text):
        raise make_system_refusal("Kirby")
