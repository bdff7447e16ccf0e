"""The operation ids of the OpenAPI document, which client generators use as names of functions."""

from __future__ import annotations

# The operations of views whose names do not begin with a verb of VERBS.
_OPERATIONS = {
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
    The resource is in the plural, as given, if the operation lists or writes several items, otherwise in the
    singular. Raises ValueError if the name does not begin with one of VERBS.
    """
    verb, *others = _OPERATIONS.get(view_name, view_name).split("_")
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
