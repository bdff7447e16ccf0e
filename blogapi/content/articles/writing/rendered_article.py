"""An article with the fields that are derived from its content and from the files that it uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any
from uuid import UUID

from blogapi.content.articles import search_texts
from blogapi.content.articles.fields import SEARCHED_NAMES
from blogapi.content.articles.models import Article
from blogapi.content.articles.prepared import render
from blogapi.content.articles.responses.json_statements import STORED_FIELDS
from blogapi.content.articles.schemas import PageFieldsSchema
from blogapi.content.custom_fields.custom_values import list_pictures
from blogapi.content.media.file_references import ArticleHtml, File, KnownFiles, find_files
from blogapi.content.media.html_pictures import HtmlResolver, make_cover
from blogapi.content.search.results import SearchText
from blogapi.publication.visibility import get_listed_from
from blogapi.rendering.renderer import RenderedContent
from blogapi.web import json as web_json
from blogapi.web.fields import WithAttributes

_SCHEMA = PageFieldsSchema(only=STORED_FIELDS)

_RENDERED_ATTRIBUTES = ("plain_text", "reading_minutes", "word_count", "toc")


class RenderedArticle(WithAttributes):
    """An article together with the fields that are derived from its content and from the files that it uses.

    Several articles share `known_files`, so that one statement finds the files of all these articles.
    """

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the rendered content, or of the article."""
        return getattr(self._rendering, name) if name in _RENDERED_ATTRIBUTES else super().__getattr__(name)

    @property
    def stored(self) -> Any:
        """The article, whose excerpt is empty if none is written."""
        return self._target

    @cached_property
    def _rendering(self) -> RenderedContent:
        return render(self.content, self.content_type)

    @property
    def text(self) -> ArticleHtml:
        """The HTML and the pictures of the article, which can refer to files."""
        pictures = (self.cover_image, self.seo.og_image, *list_pictures(self.custom))
        return ArticleHtml(self.uuid, self._rendering.html, pictures)

    @cached_property
    def known_files(self) -> KnownFiles:
        """The files to which the article refers."""
        return find_files([self.text])

    @cached_property
    def _resolver(self) -> HtmlResolver:
        return HtmlResolver(self.uuid, self.known_files)

    @cached_property
    def html(self) -> str:
        """The content as sanitised HTML; the addresses of files begin with the address of the service."""
        return self._resolver.resolve(self._rendering.html)

    @cached_property
    def cover(self) -> WithAttributes | None:
        """The cover if it is an image of the media library."""
        file = self._resolver.find(self.cover_image)
        return make_cover(file) if file is not None and file.width else None

    def find_uses(self) -> Mapping[UUID, File]:
        """Return the files that the article uses, by uuid."""
        self._resolver.find(self.cover_image)
        for address in (self.seo.og_image, *list_pictures(self.custom)):
            self._resolver.find(address)
        # Resolving the HTML finds the files in it.
        assert self.html is not None
        return self._resolver.used

    @cached_property
    def excerpt(self) -> str:
        """The written excerpt, or the beginning of the content as plain text."""
        written: str = self.stored.excerpt
        return written or self._rendering.excerpt

    @property
    def search_text(self) -> SearchText:
        """The texts that searches cover."""
        return get_search_text(self.stored, self.plain_text)

    @cached_property
    def row(self) -> dict[str, Any]:
        """The columns of the article's row in ArticleJson, by name."""
        return make_row(self, _SCHEMA)


def render_articles(articles: Iterable[Article]) -> list[RenderedArticle]:
    """Return the articles with their derived fields; one statement finds the files of all articles."""
    rendered = [RenderedArticle(article) for article in articles]
    files = find_files(article.text for article in rendered)
    for article in rendered:
        article.known_files = files
    return rendered


def make_row(article: Article | RenderedArticle, schema: PageFieldsSchema) -> dict[str, Any]:
    """Return the columns of ArticleJson for the fields of the schema, and its columns that are not JSON."""
    values = {f"{name}_json": web_json.to_json_bytes(value) for name, value in schema.dump(article).items()}
    names = ("category_id", "status", "published_at", "version")
    return {"article_id": article.uuid, **{name: getattr(article, name) for name in names}, **values}


def get_search_text(article: Article, plain_text: str) -> SearchText:
    """Return the texts of an article that searches cover; `plain_text` is its content."""
    others = search_texts.join_texts((getattr(article, name) for name in SEARCHED_NAMES), article.custom)
    return SearchText(article.uuid, get_listed_from(article), article.title, others, plain_text)
