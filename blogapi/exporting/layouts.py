"""The file names, folders and front matter fields that each generator expects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from blogapi.content.articles.fields import TEXT_NAMES
from blogapi.exporting.article_rows import Item
from blogapi.publication.visibility import LISTED_STATUSES, ItemType
from blogapi.site.addresses import to_time_zone

# The name and the version of the format, in `blogapi.yaml`.
FORMAT, VERSION = "blogapi-export", 1

# The text fields that are copied into the front matter unchanged; all other text fields are converted.
FRONT_MATTER_TEXTS = tuple(
    name for name in TEXT_NAMES if name not in ("title", "content", "content_type", "cover_image")
)
_SUFFIXES = {"markdown": ".md", "html": ".html", "text": ".txt"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The paths of files and the names of front matter fields that a generator expects."""

    name: str
    #: the folders of listed articles, of other articles and of pages
    posts: str
    drafts: str
    pages: str = "pages"
    media: str
    #: the path of the data files, with `*` for the kind of their items
    data: str
    #: the start of the addresses of media files in articles and in data files
    article_media: str
    data_media: str
    #: whether articles of plain text are written as HTML, because the generator has no plain text
    shows_text_as_html: bool = True
    lists_cover: bool = False
    has_shortcodes: bool = False
    has_liquid: bool = False
    dates_file_names: bool = False
    #: whether all pages outside the folder of drafts are public at once, even scheduled pages
    shows_all_pages: bool = False
    #: whether the name of a file ends with the language of its article
    adds_language_suffix: bool = False
    #: the file with the hashes of all files; Jekyll does not publish a file whose name begins with `_`
    manifest: str = "SHA256SUMS"
    #: the names of the front matter fields that differ, by their names in the default layout
    field_names: Mapping[str, str] = field(default_factory=dict)
    #: the front matter field with the path of the article's page; "" = none
    address_field: str = ""
    #: the path of the file for a term's page, with `*` for the kind and the name of the term; "" = none
    term_pages: str = ""
    #: the file with the custom redirects in the format of the host Netlify; "" = none
    host_redirects: str = ""
    #: the fields with the type of a page and with its position among its siblings (from 1); "" = none
    type_field: str = ""
    weight_field: str = ""
    #: the field that keeps a page out of the sitemap
    no_sitemap: Mapping[str, object] = field(default_factory=dict)

    def get_article_path(self, article: Item, name: str, time_zone: str, now: datetime) -> str:
        """Return the path of an article's file; `name` is the file name without suffix."""
        is_text = article["content_type"] == "text" and self.shows_text_as_html
        suffix = ".html" if is_text else _SUFFIXES[article["content_type"]]
        if self.adds_language_suffix and article["language"]:
            suffix = f".{article['language'].lower()}{suffix}"
        is_hidden = article["status"] not in LISTED_STATUSES
        if article.get("type") == ItemType.PAGE:
            is_draft = self.shows_all_pages and (is_hidden or is_scheduled(article, now))
            return f"{self.drafts if is_draft else self.pages}/{name}{suffix}"
        if is_hidden:
            return f"{self.drafts}/{name}{suffix}"
        date = ""
        if self.dates_file_names:
            time = to_time_zone(datetime.fromisoformat(article["published_at"]), time_zone)
            date = f"{time:%Y}".zfill(4) + f"{time:-%m-%d-}"
        return f"{self.posts}/{date}{name}{suffix}"

    def get_data_path(self, kind: str) -> str:
        """Return the path of the data file with the items of a kind, such as `categories`."""
        return self.data.replace("*", kind)

    def get_page_fields(self, article: Item) -> Item:
        """Return the fields with the type and the position of a page."""
        if article.get("type") != ItemType.PAGE:
            return {}
        fields = {self.type_field: "page", self.weight_field: article["position"] + 1}
        return {name: value for name, value in fields.items() if name}

    @property
    def working_copies(self) -> str:
        """The path of the file with the working copies, which generators do not publish."""
        return self.get_data_path("working-copies").rpartition(".")[0] + ".json"

    def make_description(self, *, includes_drafts: bool) -> Item:
        """Return the contents of `blogapi.yaml`."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "layout": self.name,
            "contents": "all" if includes_drafts else "public",
            "articles": list(dict.fromkeys((self.posts, self.drafts, self.pages))),
            "media": self.media,
            "data": self.data,
            "addresses": {"articles": self.article_media, "data": self.data_media},
        }


def is_scheduled(article: Item, now: datetime) -> bool:
    """Return whether an article or a page becomes public later than `now`."""
    return article["status"] in LISTED_STATUSES and datetime.fromisoformat(article["published_at"]) > now


DEFAULT_LAYOUT = Layout(
    name="default",
    posts="articles",
    drafts="articles",
    media="media",
    data="*.yaml",
    article_media="../media/",
    data_media="media/",
    shows_text_as_html=False,
)
HUGO_LAYOUT = Layout(
    name="hugo",
    posts="content/posts",
    drafts="content/posts",
    pages="content/pages",
    media="static/media",
    data="data/*.yaml",
    article_media="/media/",
    data_media="/media/",
    has_shortcodes=True,
    lists_cover=True,
    adds_language_suffix=True,
    field_names={"excerpt": "summary", "cover_image": "images", "translation_key": "translationKey"},
    address_field="url",
    term_pages="content/*/_index.md",
    host_redirects="static/_redirects",
    type_field="type",
    weight_field="weight",
)
JEKYLL_LAYOUT = Layout(
    name="jekyll",
    posts="_posts",
    drafts="_drafts",
    media="media",
    data="_data/*.yml",
    article_media="/media/",
    data_media="/media/",
    manifest="_SHA256SUMS",
    has_liquid=True,
    dates_file_names=True,
    field_names={"aliases": "redirect_from", "cover_image": "image", "language": "lang"},
    address_field="permalink",
    shows_all_pages=True,
    host_redirects="_redirects",
    no_sitemap={"sitemap": False},
)
LAYOUTS = {layout.name: layout for layout in (DEFAULT_LAYOUT, HUGO_LAYOUT, JEKYLL_LAYOUT)}
MANIFEST_NAMES = tuple(dict.fromkeys(layout.manifest for layout in LAYOUTS.values()))
