"""An operation of the API: what a view declares about itself, and the name that clients use for it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import UUID

import marshmallow as ma

from blogapi.config import AppState

View = TypeVar("View", bound=Callable[..., Any])


@dataclass(slots=True)
class Operation:
    """The declarations of a view; the docstring of each decorator describes what it declares.

    The decorators are `access.allow`, `access.check_before_body`, `shared_caching.declare_shown_kinds`,
    `slug_lookup.accept_slugs` and the methods of `blueprint.Blueprint`, whose `run_view` calls the view. If a
    decorator occurs several times, the topmost one applies first; otherwise, the order has no effect. `id` is
    the operation id in the OpenAPI document.
    """

    id: str = ""
    # An `access.AccessRequirement`; its type cannot be named here, because `access` imports this module.
    access: Any = None
    checks: list[Callable[[], object]] = field(default_factory=list)
    lookups: list[Callable[[UUID], object]] = field(default_factory=list)
    lookup_after_error: Callable[[UUID], object] | None = None
    #: the schemas of the arguments, each with its location: "query" or "json"
    arguments: list[tuple[ma.Schema, str]] = field(default_factory=list)
    #: the schema of the query parameters with `fields`
    fields_query: ma.Schema | None = None
    takes_query: bool = False
    takes_file: bool = False
    status: int = 200
    schema: ma.Schema | dict[str, Any] | None = None
    partial_schema: type[ma.Schema] | None = None
    section: str = ""
    storable: bool = True
    cacheable: bool = False
    may_be_missing: bool = False
    #: a `representation.Representation`, for a view that writes
    representation: Any = None
    receive_body: Callable[..., AbstractContextManager[object]] | None = None
    prepare_write: Callable[..., object] | None = None
    #: a function that returns the `slug_lookup.SlugOwner` of a slug, or None
    find_owner: Callable[[str], Any] | None = None
    #: the kinds that the response shows, or the function that returns a `shared_caching.ShownContent`
    shows: tuple[str, ...] | Callable[..., Any] | None = None


#: The operations of an application, by endpoint, with the access rules that its settings give them.
OPERATIONS = AppState[dict[str, Operation]]("operations")


def get_operation(view: Callable[..., Any]) -> Operation:
    """Return the operation in which the decorators of a view store declarations; create it if needed."""
    operation: Operation = view.__dict__.setdefault("operation", Operation())
    return operation


def set_declarations(**declarations: Any) -> Callable[[View], View]:
    """Return a decorator that sets these attributes of the view's operation."""

    def decorate(view: View) -> View:
        operation = get_operation(view)
        for name, value in declarations.items():
            setattr(operation, name, value)
        return view

    return decorate


# In operation ids, these words replace the names of views that do not begin with a verb of VERBS.
_RENAMED_VIEWS = {
    "listed": "list",
    "published": "list",
    "single": "get",
    "change": "update",
    "change_all": "update_all",
}
# The verbs with which operation ids begin, and the HTTP methods that each verb allows.
VERBS = {
    **dict.fromkeys(("get", "list", "compare", "download"), ("GET",)),
    **dict.fromkeys(
        (
            *("accept", "cancel", "create", "disable", "enable", "login", "logout", "merge", "publish"),
            *("render", "replay", "report", "resend", "reset", "restore", "rotate", "run", "send", "show"),
            *("start", "test", "verify"),
        ),
        ("POST",),
    ),
    "check": ("GET", "POST"),
    "replace": ("PUT",),
    "update": ("PATCH",),
    **dict.fromkeys(("delete", "revoke"), ("DELETE",)),
}


def make_operation_id(resource: str, view_name: str) -> str:
    """Return the operation id of a view, such as `listWebhookDeliveries`.

    It consists of the first word of the view's name (a verb), the resource, and the other words of the name.
    `resource` is a plural noun; it stays in the plural only if the operation lists or writes several items.
    Raises ValueError if the name does not begin with a verb of VERBS.
    """
    verb, *others = _RENAMED_VIEWS.get(view_name, view_name).split("_")
    if verb not in VERBS:
        raise ValueError(f"The name of the view {view_name!r} must begin with a verb of VERBS.")
    is_plural = others == ["all"] or (verb == "list" and not others)
    noun = resource if is_plural else _make_singular(resource)
    words = [*filter(None, noun.split("_")), *(word for word in others if word != "all")]
    return verb + "".join(word.capitalize() for word in words)


def _make_singular(plural: str) -> str:
    if plural.endswith("ies"):
        return plural.removesuffix("ies") + "y"
    return plural.removesuffix("s")
