"""Chooses the template of each page of the site, and the documents that the template shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import unescape
from typing import Any
from urllib.parse import quote, urlencode, urlsplit
from zoneinfo import ZoneInfo

from blogapi.content.articles.lists.conditions import ArticleFilters
from blogapi.delivery.archive import list_months, make_month_head
from blogapi.delivery.feeds.entries import ALL_LANGUAGES, make_home_filters
from blogapi.publication.kinds import TERM_KINDS
from blogapi.publication.visibility import ItemType
from blogapi.reader_site import documents
from blogapi.reader_site.documents import PAGE_SIZE, list_ancestors, make_item_tree
from blogapi.reader_site.words import Words, WordTables, find_words
from blogapi.site.addresses import (
    localize_site,
    make_absolute_address,
    make_home_paths,
    make_numbered_url,
    to_time_zone,
)
from blogapi.site.heads import PageNumber, make_list_head, make_site_head
from blogapi.site.models import Site
from blogapi.site.queries import find_logo_size
from blogapi.site.schemas import SiteSchema
from blogapi.site.served_paths import ARCHIVE_PATH, SEARCH_PATH, SitePage, make_month_path
from blogapi.web.errors import NotFound
from blogapi.web.fields import Fields
from blogapi.web.pagination import MAX_SEARCH_PAGE

# If a blog has more articles than this, its archive page shows months instead of titles.
MAX_ARCHIVE_TITLES = 300
MAX_QUERY_LENGTH = 200
_MAX_FOOTER_TERMS = 10
_MAX_RELATED_ARTICLES = 3

_FEED_PATH = "/feeds/atom.xml"
_TITLE_FIELDS = ("title", "url", "language", "published_at")
_LISTED_PAGE_FIELDS = ("uuid", "title", "url", "parent", "language")
_SITE_SCHEMA = SiteSchema(exclude=("built_in",))


@dataclass(frozen=True, slots=True)
class HtmlPage:
    """A page to render: its template, the values for the template, and the status of the response."""

    template: str
    values: Mapping[str, Any]
    status: int = 200


@dataclass(frozen=True, slots=True)
class Edition:
    """The site as it is served, or as a static copy.

    `words` maps languages to tables of words. `root` is the path of a static copy, which is empty if the copy
    is at the root of its host. `shared_values` caches the values that all pages in a language share.
    """

    site: Site
    words: WordTables
    root: str = ""
    is_static: bool = False
    shared_values: dict[tuple[str, str], Fields] = field(default_factory=dict, compare=False)

    def make_address(self, path: str) -> str:
        """Return the address of a decoded path of the site."""
        return f"{self.root}{quote(path)}"


def make_target_page(edition: Edition, target: SitePage) -> HtmlPage:
    """Return the page of a target; raises NotFound for an empty month, and after the last page of a list."""
    if target.kind == "archive":
        return _make_archive_page(edition)
    if target.kind in ("home", "month", *TERM_KINDS):
        return _make_list_page(edition, target)
    return _make_item_page(edition, target)


def _make_site_values(edition: Edition, language: str) -> Fields:
    """Return the template values of every page, including pages without a header and a footer."""
    site, language = edition.site, language or edition.site.language
    described = localize_site(site, language)
    size = find_logo_size(site) or (None, None)
    return {
        "site": _SITE_SCHEMA.dump(site) | {"logo_width": size[0], "logo_height": size[1]},
        "language": language,
        "words": find_words(language, site.language, edition.words),
        # The link to the home page needs a text even if the site has no title.
        "title": described.title or urlsplit(site.url).netloc,
        "description": described.description,
        "root": edition.root,
        "texts": documents.LEAD_FIELDS,
        "preview": {},
    }


def _make_context(edition: Edition, kind: str, language: str, path: str = "") -> Fields:
    """Return the values of a page with a header and a footer; `path` is the decoded path of the page."""
    language = language or edition.site.language
    # The footer of a home page links only to terms with articles in the language of the home page.
    counted = language if kind == "home" and len(make_home_paths(edition.site)) > 1 else ""
    if (language, counted) not in edition.shared_values:
        edition.shared_values[language, counted] = _make_shared_values(edition, language, counted)
    frame, own = edition.shared_values[language, counted], f"{edition.site.url}{quote(path)}"
    navigation = [
        {**entry, "is_current": make_absolute_address(entry["url"], edition.site.url) == own}
        for entry in frame["site"]["navigation"]
    ]
    pager = {"number": 1, "count": 1, "total": 0, "newer": "", "older": ""}
    return {**frame, "kind": kind, "site": {**frame["site"], "navigation": navigation}, "pager": pager}


def _make_shared_values(edition: Edition, language: str, counted: str) -> Fields:
    """Return the values that all pages in a language share; terms count the articles in `counted` only."""
    site, values = edition.site, _make_site_values(edition, language)
    homes = make_home_paths(site)
    names = ("uuid", "name", "url", "articles_count")
    categories = documents.list_terms("category", *names, "parent", language=counted)
    tags = documents.list_terms("tag", *names, language=counted)
    by_position = ArticleFilters(ordering="position", type=ItemType.PAGE.value)
    pages, _ = documents.list_published_items(_LISTED_PAGE_FIELDS, by_position)
    linked = {make_absolute_address(entry["url"], site.url) for entry in values["site"]["navigation"]}
    own_pages = [one for one in pages if (one["language"] or site.language) == language]
    used = list_used_terms(categories)
    is_other = any(one["language"] == language for one in site.other_languages)
    return {
        **values,
        "has_frame": True,
        "home": edition.make_address(homes.get(language, next(iter(homes.values())))),
        "homes": [
            {"language": one, "url": edition.make_address(path), "name": values["words"].name_language(one)}
            for one, path in homes.items()
        ],
        "search": "" if edition.is_static else SEARCH_PATH,
        "archive": edition.make_address(ARCHIVE_PATH),
        "feed": make_feed_address(edition, {"language": language} if is_other else {}),
        "categories": _choose_most_used_terms(make_item_tree(used)) if len(used) > 1 else [],
        "tags": _choose_most_used_terms([tag for tag in tags if tag["articles_count"]]),
        "pages": make_item_tree([page for page in own_pages if page["url"] not in linked]),
        "several_authors": len(documents.list_terms("author", "uuid")) > 1,
        "all_categories": categories,
        "all_pages": pages,
    }


def make_term_feed_filters(kind: str, term: Fields) -> dict[str, str]:
    """Return the filters of the feed of a term; like the term's page, the feed has all languages."""
    return {kind: term["slug"], "language": ALL_LANGUAGES}


def make_feed_address(edition: Edition, filters: Mapping[str, str]) -> str:
    """Return the address of the Atom feed with these filters; in a static copy, `/de/feeds/atom.xml`."""
    if not edition.is_static:
        return f"{_FEED_PATH}?{urlencode(filters)}" if filters else _FEED_PATH
    folders = (value.lower() if name == "language" else f"{name}/{value}" for name, value in filters.items())
    return edition.make_address("".join(f"/{name}" for name in folders if name != ALL_LANGUAGES) + _FEED_PATH)


def list_used_terms(terms: Sequence[Fields], linked: Container[str] = ()) -> list[Fields]:
    """Return the terms that have articles or whose uuid is in `linked`, and all their parent categories."""
    used = [one for one in terms if one["articles_count"] or one["uuid"] in linked]
    needed = {one["uuid"] for term in used for one in [*list_ancestors(terms, term), term]}
    return [one for one in terms if one["uuid"] in needed]


def _choose_most_used_terms(terms: Sequence[Fields]) -> list[Fields]:
    return sorted(terms, key=lambda term: -term["articles_count"])[:_MAX_FOOTER_TERMS]


def _make_list_page(edition: Edition, target: SitePage) -> HtmlPage:
    """Return a page of the list of articles of a home page, a month, a category, a tag or an author."""
    site, kind, page, item = edition.site, target.kind, PageNumber(target.number), Fields()

    def make_address(number: int) -> str:
        return edition.make_address(make_numbered_url(target.path, number))

    articles, pager = _get_list_page(_make_article_filters(site, target), target.number, make_address)
    if kind == "month" and not articles:
        raise NotFound("The month has no articles.")
    if target.uuid is not None:
        item = documents.get_term(kind, target.uuid, page)
    context = _make_context(edition, kind, target.language or item.get("language", ""), target.own_path)
    described, title = localize_site(site, context["language"]), item.get("name", "")
    if kind == "month":
        title = context["words"].format_month(target.year, target.month)
        head = make_month_head(described, target.year, target.month, name=title, page=page)
    else:
        head = item["head"] if item else make_site_head(described, page=page)
    categories = context["all_categories"] if kind == "category" else []
    context |= {"item": item, "articles": articles, "page_title": title, "pager": pager, "head": head}
    context |= {
        "own_feed": make_feed_address(edition, make_term_feed_filters(kind, item)) if item else "",
        "above": list_ancestors(categories, item),
        "below": [one for one in list_used_terms(categories) if one["parent"] == item["uuid"]],
    }
    return HtmlPage("home.html", context)


def _get_list_page(
    filters: ArticleFilters, number: int, make_address: Callable[[int], str]
) -> tuple[list[Fields], Fields]:
    """Return the articles and the pager of a page of a list; raises NotFound for a page after the last."""
    articles, total = documents.list_entries(filters, number)
    count = max(1, -(-total // PAGE_SIZE))
    if filters.q:
        count = min(count, MAX_SEARCH_PAGE)
    if number > count:
        raise NotFound("The list has no such page.")
    return articles, {
        "number": number,
        "count": count,
        "total": total,
        "newer": make_address(number - 1) if number > 1 else "",
        "older": make_address(number + 1) if number < count else "",
    }


def _make_article_filters(site: Site, target: SitePage) -> ArticleFilters:
    if target.kind == "home":
        return make_home_filters(site, target.language)
    if target.kind == "month":
        year, month, zone = target.year, target.month, ZoneInfo(site.time_zone)
        try:
            # Python cannot represent the first hours of this month in zones other than UTC.
            start_zone = UTC if (year, month) == (1, 1) else zone
            start = datetime(year, month, 1, tzinfo=start_zone).astimezone(UTC)
            end = datetime(year + month // 12, month % 12 + 1, 1, tzinfo=zone).astimezone(UTC)
        except (ValueError, OverflowError) as error:
            raise NotFound("Python cannot represent this month.") from error
        return ArticleFilters(published_after=start, published_before=end)
    reference = str(target.uuid)
    return ArticleFilters(**{target.kind: reference if target.kind == "author" else (reference,)})  # type: ignore[arg-type]


def _make_archive_page(edition: Edition) -> HtmlPage:
    site, years = edition.site, dict[int, Fields]()
    context = _make_context(edition, "archive", "", ARCHIVE_PATH)
    months = list_months({})
    total = sum(month["count"] for month in months)

    def get_year(year: int) -> Fields:
        return years.setdefault(year, {"year": year, "months": [], "articles": []})

    for month in months if total > MAX_ARCHIVE_TITLES else ():
        name = context["words"].format_month(month["year"], month["month"])
        address = edition.make_address(make_month_path(month["year"], month["month"]))
        get_year(month["year"])["months"].append({**month, "name": name, "url": address})
    for article in documents.list_published_items(_TITLE_FIELDS)[0] if total <= MAX_ARCHIVE_TITLES else ():
        published = to_time_zone(datetime.fromisoformat(article["published_at"]), site.time_zone)
        get_year(published.year)["articles"].append(article)
    title = context["words"]["archive"]
    context |= {"years": list(years.values()), "page_title": title}
    context["pager"] |= {"total": total}
    head = make_list_head(localize_site(site, context["language"]), title, ARCHIVE_PATH)
    return HtmlPage("archive.html", context | {"head": head})


def _make_item_page(edition: Edition, target: SitePage) -> HtmlPage:
    assert target.uuid is not None, "an item has a uuid"
    article = documents.get_item(target.kind, target.uuid)
    context = _make_context(edition, target.kind, article["language"], target.path)
    pages = context["all_pages"] if target.kind == "page" else []
    below = [one for one in pages if one["parent"] == article["uuid"]]
    return HtmlPage("article.html", context | _make_item_values(article, context) | {"below": below})


def _make_item_values(article: Fields, context: Fields) -> Fields:
    """Return the values of the template for an article or a page."""
    if category := article.get("category"):
        items = context.get("all_categories", [])
        own = next((one for one in items if one["uuid"] == category["uuid"]), category)
        above = [*list_ancestors(items, own), own] if context["categories"] else []
    else:
        above = list_ancestors(context.get("all_pages", []), article)
    first = re.search(r'<img [^<>]*?src="([^"<>]*)"', article["html"])
    is_cover = first is not None and unescape(first[1]) == article["cover_image"]
    neighbours = {one["uuid"] for one in (article.get("previous"), article.get("next")) if one}
    related = [one for one in article.get("related", []) if one["uuid"] not in neighbours]
    return {
        "article": {**article, "cover_in_text": is_cover},
        "above": above,
        "related": related[:_MAX_RELATED_ARTICLES],
        "page_title": article["title"],
    }


def make_preview_page(edition: Edition, item: Fields, *, has_edits: bool, style: str) -> HtmlPage:
    """Return the page of a preview link; if the site is off, without a header and a footer."""
    kind = "article" if "category" in item else "page"
    if edition.site.built_in:
        context = _make_context(edition, kind, item["language"])
    else:
        context = _make_site_values(edition, item["language"])
        context |= {"kind": kind, "several_authors": True, "categories": [item.get("category")]}
    notice = _describe_preview_status(edition, item, context["words"], has_edits=has_edits)
    values = _make_item_values(item, context) | {"preview": {"style": style, "notice": notice}}
    return HtmlPage("article.html", context | values)


def make_missing_preview_page(edition: Edition, style: str) -> HtmlPage:
    """Return the page for a preview link that does not work."""
    context = _make_site_values(edition, "") | {"kind": "missing"}
    title = context["words"]["preview_missing"]
    preview = {"style": style, "notice": ""}
    return HtmlPage("not-found.html", context | {"page_title": title, "preview": preview}, 404)


def _describe_preview_status(edition: Edition, item: Fields, words: Words, *, has_edits: bool) -> str:
    """Return the line above a preview, such as `Preview: Draft, last changed 29 November 2026, 08:00`."""
    status, zone = item["status"], edition.site.time_zone
    name = {"draft": "last_updated", "scheduled": "published_at"}.get(status)
    time = datetime.fromisoformat(item[name]) if name else None
    shown = f"{words.format_time(to_time_zone(time, zone))} ({zone})" if time else ""
    edits = words["preview_edits"] if has_edits and status != "draft" else ""
    return words[f"preview_{status}"].format(time=shown) + edits


def make_search_page(edition: Edition, q: str, number: int, *, is_refused: bool = False) -> HtmlPage:
    """Return the page of a search; raises NotFound for a page after the last.

    With `is_refused`, the client has reached the search limit, and the page asks the reader to wait.
    """
    context = _make_context(edition, "search", "", SEARCH_PATH)
    q = q[:MAX_QUERY_LENGTH]
    if q and not is_refused:
        if number > MAX_SEARCH_PAGE:
            raise NotFound("A search has no such page.")
        context["articles"], context["pager"] = _get_list_page(
            ArticleFilters(q=q), number, lambda other: f"{SEARCH_PATH}?{urlencode({'q': q, 'page': other})}"
        )
    values = {"q": q, "is_refused": is_refused, "page_title": context["words"]["search"]}
    return HtmlPage("search.html", {"articles": [], **context, **values}, 429 if is_refused else 200)


def choose_language(site: Site, path: str) -> str:
    """Return the language of the home page whose path is the longest prefix of `path`, or of the site."""
    homes = sorted(make_home_paths(site).items(), key=lambda home: -len(home[1]))
    return next((language for language, home in homes if path.startswith(home)), site.language)


def make_missing_page(edition: Edition, language: str, status: int = 404) -> HtmlPage:
    """Return the page for an unknown address (404), or for an address that no longer exists (410)."""
    context = _make_context(edition, "missing", language)
    articles, _ = documents.list_entries(make_home_filters(edition.site, language), 1, 3)
    title = context["words"]["gone" if status == 410 else "not_found"]
    return HtmlPage(
        "not-found.html", context | {"articles": articles, "status": status, "page_title": title}, status
    )
