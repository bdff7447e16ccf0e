"""Pagination: a request without paging parameters gets the whole list, otherwise one page with links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import urlencode

import marshmallow as ma
from sqlalchemy import Select, func, select

from blogapi.storage.database import db
from blogapi.web.fields import BoundedList, Fields, Identifier, InputSchema, StrictInteger

Row = TypeVar("Row")
Rows = TypeVar("Rows")

DEFAULT_PAGE_SIZE = 20
MAX_PAGE_SIZE = 100
# The number of the last page of a search; a search ranks only as many matches as fit on these pages.
MAX_SEARCH_PAGE = 50
# The maximum ensures that the offset (page number times page size) fits into 64 bits.
MAX_PAGE_NUMBER = 1_000_000_000


class RowRange(NamedTuple):
    """The number of rows to read, the number of rows to skip, and whether to read in reverse order."""

    limit: int
    offset: int
    is_backwards: bool


@dataclass(frozen=True, slots=True)
class PageRequest:
    """The requested page: its number (1 for the first page) and its size (1 to 100)."""

    number: int
    size: int

    def compute_row_range(self, total: int) -> RowRange:
        """Return the range of the page's rows in a list of `total` rows.

        A page in the second half is read backwards from the end of the list, so that fewer rows are skipped.
        """
        offset = (self.number - 1) * self.size
        limit = max(0, min(self.size, total - offset))
        if 2 * offset <= total:
            return RowRange(limit, offset, is_backwards=False)
        return RowRange(limit, max(0, total - offset - limit), is_backwards=True)


@dataclass(frozen=True, slots=True)
class Page(Generic[Rows]):
    """The rows of a page (or their JSON), the length of the list, and the requested page (None: all rows).

    `max_number` is the number of the last page that can be requested.
    """

    rows: Rows
    total: int
    page_request: PageRequest | None
    max_number: int = MAX_PAGE_NUMBER

    def make_link_header(self, path: str, query: Sequence[tuple[str, str]]) -> str:
        """Return the `Link` header with the first, prev, next and last page.

        The URLs are relative, because the Host header of the request cannot be trusted.
        """
        if self.page_request is None:
            return ""
        last = min(max(1, -(-self.total // self.page_request.size)), self.max_number)
        number = self.page_request.number
        numbers = {"first": 1, "prev": min(number - 1, last), "next": number + 1, "last": last}
        other_parameters = [pair for pair in query if pair[0] not in ("page", "page_size")]
        size = ("page_size", str(self.page_request.size))
        return ", ".join(
            f'<{path}?{urlencode([*other_parameters, ("page", str(page)), size])}>; rel="{name}"'
            for name, page in numbers.items()
            if 1 <= page <= last
        )


def fetch_page(statement: Select[Row], page: PageRequest | None) -> Page[Sequence[Row]]:
    """Return a page of an ordered select of one entity, or all rows if `page` is None.

    Executes two statements for a page, and one statement for all rows.
    """
    result = fetch_row_page(statement, page)
    return replace(result, rows=[row[0] for row in result.rows])


def fetch_row_page(statement: Select[*tuple[Any, ...]], page: PageRequest | None) -> Page[Sequence[Any]]:
    """Return a page of an ordered select of several columns; each item is a SQLAlchemy row."""
    if page is None:
        rows = db.session.execute(statement).all()
        return Page(rows, len(rows), None)
    total = db.session.scalar(select(func.count()).select_from(statement.order_by(None).subquery())) or 0
    paged = statement.limit(page.size).offset((page.number - 1) * page.size)
    return Page(db.session.execute(paged).all(), total, page)


@dataclass(frozen=True, slots=True)
class Query:
    """The parsed query string of a read: selected fields, page and filters."""

    fields: tuple[str, ...] | None
    page: PageRequest | None
    filters: Fields


class DetailQuery(InputSchema):
    """The query parameters of a request for a single item; a subclass adds `fields_`."""

    @ma.post_load
    def to_query(self, data: Fields, **_: Any) -> Query:
        """Return the parameters as a Query."""
        fields = data.pop("fields_", None)
        number, size = data.pop("page", None), data.pop("page_size", None)
        page = PageRequest(number or 1, size or DEFAULT_PAGE_SIZE) if number or size else None
        return Query(fields, page, data)


class ListQuery(DetailQuery):
    """The query parameters of a request for a list."""

    page = StrictInteger(
        minimum=1,
        maximum=MAX_PAGE_NUMBER,
        from_query=True,
        metadata={"description": "Page number, starting at 1.", "example": 1},
    )
    page_size = StrictInteger(
        minimum=1,
        maximum=MAX_PAGE_SIZE,
        from_query=True,
        metadata={
            "description": f"Number of items per page; {DEFAULT_PAGE_SIZE} if only `page` is sent.",
            "example": 20,
        },
    )


class BulkDeleteQuery(InputSchema):
    """The query parameters of a bulk delete."""

    uuid = BoundedList(
        Identifier(),
        max_items="MAX_BULK",
        required=True,
        metadata={
            "description": "uuid of an item to delete. Repeat the parameter to delete several items: either "
            "all are deleted or none."
        },
    )
