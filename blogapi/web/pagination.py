"""Pages of a list: complete without parameters, else one page and the way to the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

import marshmallow as ma
from sqlalchemy import Select, func, select

from blogapi.storage.database import db
from blogapi.web.fields import BoundedList, Fields, Identifier, InputSchema, StrictInteger

Row = TypeVar("Row")
Rows = TypeVar("Rows")

DEFAULT_PAGE_SIZE = 20
MAX_PAGE_SIZE = 100
# Beyond this no blog reaches; the product with the size stays inside 64 bits.
MAX_PAGE_NUMBER = 1_000_000_000


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which page is asked for: its number (from 1) and its size (1 to 100)."""

    number: int
    size: int


@dataclass(frozen=True, slots=True)
class Page(Generic[Rows]):
    """Rows of a list, or the JSON of them; how many the whole list has, and the window on it (None: all)."""

    rows: Rows
    total: int
    window: PageRequest | None

    def links(self, path: str, query: Sequence[tuple[str, str]]) -> str:
        """Return the `Link` header: first, prev, next, last; relative, as the Host header is not ours."""
        if self.window is None:
            return ""
        last = max(1, -(-self.total // self.window.size))
        number = self.window.number
        numbers = {"first": 1, "prev": min(number - 1, last), "next": number + 1, "last": last}
        kept = [pair for pair in query if pair[0] not in ("page", "page_size")]
        size = ("page_size", str(self.window.size))
        return ", ".join(
            f'<{path}?{urlencode([*kept, ("page", str(to)), size])}>; rel="{name}"'
            for name, to in numbers.items()
            if 1 <= to <= last
        )


def paginate(statement: Select[Row], window: PageRequest | None) -> Page[Sequence[Row]]:
    """Return the page of an ordered statement of one entity: one statement, a second where it counts."""
    return _page(statement, window, lambda narrowed: db.session.scalars(narrowed).all())


def paginate_rows(statement: Select[*tuple[Any, ...]], window: PageRequest | None) -> Page[Sequence[Any]]:
    """Return the page of an ordered statement of several columns, as `paged` does."""
    return _page(statement, window, lambda narrowed: db.session.execute(narrowed).all())


def _page(
    statement: Select[*tuple[Any, ...]],
    window: PageRequest | None,
    fetch: Callable[[Select[*tuple[Any, ...]]], Sequence[Any]],
) -> Page[Sequence[Any]]:
    if window is None:
        rows = fetch(statement)
        return Page(rows, len(rows), None)
    total = db.session.scalar(select(func.count()).select_from(statement.order_by(None).subquery())) or 0
    offset = (window.number - 1) * window.size
    return Page(fetch(statement.limit(window.size).offset(offset)), total, window)


@dataclass(frozen=True, slots=True)
class Query:
    """What the query string of a read asks for."""

    fields: tuple[str, ...] | None
    window: PageRequest | None
    filters: Fields


class DetailQuery(InputSchema):
    """The query string of a single item; a subclass gives `fields_` its schema."""

    @ma.post_load
    def gathered(self, data: Fields, **_: Any) -> Query:
        """Return the parameters, told apart by what they act on."""
        fields = data.pop("fields_", None)
        number, size = data.pop("page", None), data.pop("page_size", None)
        window = PageRequest(number or 1, size or DEFAULT_PAGE_SIZE) if number or size else None
        return Query(fields, window, data)


class ListQuery(DetailQuery):
    """The query string of a list."""

    page = StrictInteger(
        minimum=1,
        maximum=MAX_PAGE_NUMBER,
        from_query=True,
        metadata={"description": "Number of the page, from 1.", "example": 1},
    )
    page_size = StrictInteger(
        minimum=1,
        maximum=MAX_PAGE_SIZE,
        from_query=True,
        metadata={
            "description": f"Items on a page; {DEFAULT_PAGE_SIZE} where only `page` is given.",
            "example": 20,
        },
    )


class BulkDeleteQuery(InputSchema):
    """The query string that names what a list is to lose."""

    uuid = BoundedList(
        Identifier(),
        max_items="MAX_BULK",
        required=True,
        metadata={"description": "Repeated: all of them, or none."},
    )
