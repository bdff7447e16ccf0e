"""Formats articles as text files with YAML front matter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import datetime
from html import escape
from urllib.parse import unquote, urlsplit
from uuid import UUID

from blogapi.content.articles.article_content import make_default_seo
from blogapi.content.articles.fields import TERM_LIST_NAMES
from blogapi.content.articles.page_tree import read_tree
from blogapi.exporting.article_rows import Item
from blogapi.exporting.exported_addresses import ExportedText, MediaAddresses, Replacement, escape_shortcodes
from blogapi.exporting.layouts import FRONT_MATTER_TEXTS, Layout, is_scheduled
from blogapi.exporting.snapshot import Snapshot
from blogapi.publication.visibility import LISTED_STATUSES, SCHEDULED, ItemType, Status
from blogapi.rendering.yaml_text import to_yaml
from blogapi.site import addresses, page_paths
from blogapi.site.heads import drop_empty_fields

#: The names of the fields of `seo` in the front matter.
SEO_FIELD_NAMES = {
    "description": "description",
    "title": "seo_title",
    "og_image": "og_image",
    "canonical_url": "canonical_url",
}
#: The statuses that are written to the front matter; for the others, the field `draft` suffices.
WRITTEN_STATUSES = tuple(status for status in Status if status not in (Status.DRAFT, Status.PUBLISHED))
_PICTURE_FIELDS = ("cover_image", "og_image")


class ArticleFormatter:
    """Formats the articles of a snapshot as the files that a layout defines."""

    def __init__(
        self,
        snapshot: Snapshot,
        layout: Layout,
        media: MediaAddresses,
        redirected: Container[str],
        now: datetime,
    ) -> None:
        """`redirected` contains the former paths that redirect to a current page."""
        self._layout, self._media, self._redirected, self._now = layout, media, redirected, now
        self._terms = {
            "category": _TermNames(snapshot.categories),
            "tags": _TermNames(snapshot.tags),
            "authors": _TermNames(snapshot.authors),
        }
        self._site, self._find_linked_articles = snapshot.local_site, snapshot.find_linked_articles
        self._folder = unquote(urlsplit(snapshot.site["url"]).path)
        self._tree = read_tree()

    def format_article(self, article: Item) -> bytes:
        content = self._convert_content(article)
        fields = self._make_front_matter(article, content.replacements)
        renamed = {self._layout.field_names.get(name, name): value for name, value in fields.items()}
        return f"---\n{to_yaml(renamed)}---\n{content.content}".encode()

    def _convert_content(self, article: Item) -> ExportedText:
        content: str = article["content"]
        layout = self._layout
        if article["content_type"] != "text":
            paths = {path["path"]: self._media.names[path["media"]] for path in article["paths"]}
            # Generators need the addresses of linked pages; an import reads `article:<uuid>`.
            linked = self._find_linked_articles(content) if layout.address_field else ()
            return self._media.replace_references(
                content,
                paths,
                layout.article_media,
                pages={item["uuid"]: self._make_page_address(item, item["slug"]) for item in linked},
                escapes_shortcodes=layout.has_shortcodes,
            )
        if layout.shows_text_as_html:
            content = f"<pre>{escape(content, quote=False)}</pre>"
        return escape_shortcodes(content) if layout.has_shortcodes else ExportedText(content)

    def _make_front_matter(self, article: Item, replacements: Sequence[Replacement]) -> Item:
        layout = self._layout
        seo = {name: text for name, text in article["seo"].items() if text != make_default_seo(article)[name]}
        pictures = {"cover_image": article["cover_image"]} | seo
        originals = {}
        for name in _PICTURE_FIELDS:
            if name in pictures:
                exported, original = self._media.get_picture_addresses(pictures[name], layout.article_media)
                pictures[name] = exported
                if original is not None:
                    originals[name] = original
        cover = pictures.pop("cover_image")
        is_published, is_text = article["status"] in LISTED_STATUSES, article["content_type"] == "text"
        texts = {name: text for name in FRONT_MATTER_TEXTS if (text := article[name])}
        address = (
            {name: self._make_page_path(article, article["slug"])} if (name := layout.address_field) else {}
        )
        # All former addresses of a page are in its former paths, so its former slugs are not needed.
        former_slugs = [] if article.get("type") == ItemType.PAGE else article["former_slugs"]
        former_paths = [self._make_page_path(article, item["slug"]) for item in former_slugs]
        former_paths += [
            self._remove_folder(item["path"])
            for item in article["former_paths"]
            if item["path"] in self._redirected
        ]
        has_liquid = layout.has_liquid and any(mark in article["content"] for mark in ("{{", "{%"))
        return {
            **{"title": article["title"]},
            **({"date": article["published_at"]} if article["published_at"] else {}),
            **{"lastmod": article["last_updated"], "slug": article["slug"]},
            **({} if is_published else {"draft": True}),
            **drop_empty_fields(self._get_term_names(article)),
            "blogapi": drop_empty_fields(
                {
                    **{"uuid": article["uuid"], "created": article["created"]},
                    "status": self._choose_status(article),
                    "type": article.get("type", ""),
                    "parent": article.get("parent") or "",
                    "position": article.get("position", 0),
                    "content_type": "text" if layout.shows_text_as_html and is_text else "",
                    **self._get_ambiguous_terms(article),
                    "was_public": article["was_public"] and not is_published,
                    "slug_derived": article["slug_derived"],
                    "former_slugs": article["former_slugs"],
                    "former_paths": article["former_paths"],
                    "originals": originals,
                    "paths": self._list_unreplaced_paths(article, replacements),
                    "replacements": replacements,
                }
            ),
            **texts,
            **({"cover_image": [cover] if layout.lists_cover else cover} if cover else {}),
            **{SEO_FIELD_NAMES[name]: pictures[name] for name in SEO_FIELD_NAMES if name in pictures},
            **(layout.no_sitemap if article["robots"] else {}),
            **layout.get_page_fields(article),
            **drop_empty_fields({"custom": article["custom"]}),
            **drop_empty_fields(address),
            **drop_empty_fields({"aliases": [path for path in former_paths if path]}),
            **({"render_with_liquid": False} if has_liquid else {}),
        }

    def _choose_status(self, article: Item) -> str:
        if self._layout.shows_all_pages and article.get("type") and is_scheduled(article, self._now):
            return SCHEDULED
        return article["status"] if article["status"] in WRITTEN_STATUSES else ""

    def _get_term_names(self, article: Item) -> Item:
        return {
            "categories": [
                self._terms["category"].names[slug] for slug in (article["category"],) if slug is not None
            ],
            **{kind: [self._terms[kind].names[slug] for slug in article[kind]] for kind in TERM_LIST_NAMES},
        }

    def _get_ambiguous_terms(self, article: Item) -> Item:
        """Return the slugs of the terms in each field in which a name is ambiguous."""
        is_ambiguous = self._terms["category"].has_ambiguous_name(filter(None, [article["category"]]))
        category = {"category": article["category"]} if is_ambiguous else {}
        kinds = (kind for kind in TERM_LIST_NAMES if self._terms[kind].has_ambiguous_name(article[kind]))
        return category | {kind: article[kind] for kind in kinds}

    def _list_unreplaced_paths(self, article: Item, replacements: Sequence[Replacement]) -> list[Item]:
        replaced_paths = {item["original"] for item in replacements}
        return [
            {"path": path["path"], "file": self._media.names[path["media"]]}
            for path in article["paths"]
            if path["path"] not in replaced_paths
        ]

    def _remove_folder(self, path: str) -> str:
        """Return the path without the folder in the site's address; other paths are returned unchanged."""
        return path.removeprefix(self._folder) if path.startswith(f"{self._folder}/") else path

    def _make_page_path(self, article: Item, slug: str) -> str:
        """Return the decoded path of the article's page with this slug, or "" if the page has no path."""
        parts = urlsplit(self._make_page_address(article, slug))
        return "" if parts.query or parts.fragment else unquote(parts.path)

    def _make_page_address(self, article: Item, slug: str) -> str:
        """Return the page's address with this slug, relative to the site; "" if it has no date."""
        if not article["published_at"]:
            return ""
        if article.get("type") == ItemType.PAGE:
            parent = article["parent"] and UUID(article["parent"])
            return page_paths.make_path(
                self._site, UUID(article["uuid"]), slug, parent, self._tree, article["language"]
            )
        url = addresses.make_article_url(
            self._site,
            uuid=article["uuid"],
            slug=slug,
            category_slug=article["category"] or "",
            published_at=datetime.fromisoformat(article["published_at"]),
            language=article["language"],
        )
        return (url or "").removeprefix(self._site.url)


class _TermNames:
    """The names of terms by slug; a name that several terms share is ambiguous."""

    def __init__(self, terms: Iterable[Item]) -> None:
        self.names: Mapping[str, str] = {term["slug"]: term["name"] for term in terms}
        counts = Counter(self.names.values())
        self._ambiguous = frozenset(slug for slug, name in self.names.items() if counts[name] > 1)

    def has_ambiguous_name(self, slugs: Iterable[str]) -> bool:
        return not self._ambiguous.isdisjoint(slugs)
