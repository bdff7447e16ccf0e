"""The operation ids of the OpenAPI document, from which generators of clients name their functions."""

from __future__ import annotations

# The operations of views whose names are not verbs, or are verbs that are unusual in APIs.
_OPERATIONS = {
    "listed": "list",
    "published": "list",
    "own": "list_own",
    "single": "get",
    "change": "update",
    "change_all": "update_all",
}
VERBS = frozenset(
    (
        *("list", "get", "create", "replace", "update", "delete", "check", "compare", "login", "logout"),
        *("cancel", "download", "merge", "render", "restore", "revoke", "rotate", "start"),
    )
)


def make_operation_id(resource: str, view_name: str) -> str:
    """Return the operation id of a view, such as `listOwnArticles`.

    It consists of a verb, other words of the view's name, and the resource: in the plural (as given) if the
    operation lists items or writes several, otherwise in the singular. A view whose name does not begin with
    a verb gets an item.
    """
    words = _OPERATIONS.get(view_name, view_name).split("_")
    if words[0] not in VERBS:
        words = ["get", *words]
    is_plural = words[0] == "list" or words[-1] == "all"
    noun = resource if is_plural else _singular(resource)
    first, *others = [*(word for word in words if word != "all"), *filter(None, noun.split("_"))]
    return first + "".join(word.capitalize() for word in others)


def _singular(plural: str) -> str:
    if plural.endswith("ies"):
        return plural.removesuffix("ies") + "y"
    return plural.removesuffix("s")
