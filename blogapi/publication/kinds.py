"""The kinds of items that the blog publishes, each declared once; `check_kinds` finds missing parts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from blogapi.config import CannotStart
from blogapi.publication.models import ChangeType, HasEvents
from blogapi.storage.database import Base

# The names of the changes in webhooks. A category or tag is public from its creation, so webhooks report its
# change `published` as `created`.
_TERM_EVENTS = {ChangeType.PUBLISHED: "created", ChangeType.UPDATED: "updated", ChangeType.DELETED: "deleted"}
_ITEM_EVENTS = {
    ChangeType.PUBLISHED: "published",
    ChangeType.UPDATED: "updated",
    ChangeType.UNPUBLISHED: "unpublished",
    ChangeType.DELETED: "deleted",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemKind:
    """A kind of items, and how the parts of the blog treat these items.

    `name` is the name in events and addresses. `plural` is the cache tag of all these items in shared caches,
    and the name of their list in exports, where pages are among the articles. `events` contains the names of
    changes in webhooks. `keeps_slugs` is whether former slugs redirect. `is_content` is whether the items
    have a status, custom fields and a working copy, and `is_term` whether articles refer to them. `model` is
    the `kind` of the model class that stores the items, if it differs from `name`: pages are stored as
    articles.
    """

    name: str
    plural: str
    events: Mapping[ChangeType, str]
    keeps_slugs: bool = True
    is_content: bool = False
    is_term: bool = False
    model: str = ""

    @property
    def has_page(self) -> bool:
        """Return whether the items have an address, whose pattern is the setting `{name}_path`."""
        return self.is_content or self.is_term


_ALL_KINDS = (
    ItemKind(name="article", plural="articles", events=_ITEM_EVENTS, is_content=True),
    # For pages, former paths are kept instead of former slugs, because a path contains the slugs of the pages
    # above.
    ItemKind(
        name="page", plural="pages", events=_ITEM_EVENTS, keeps_slugs=False, is_content=True, model="article"
    ),
    ItemKind(name="category", plural="categories", events=_TERM_EVENTS, is_term=True),
    ItemKind(name="tag", plural="tags", events=_TERM_EVENTS, is_term=True),
    # An author is public as long as at least one of their articles is public.
    ItemKind(name="author", plural="authors", events=_ITEM_EVENTS, is_term=True),
    ItemKind(name="site", plural="site", events={ChangeType.UPDATED: "updated"}, keeps_slugs=False),
)
KINDS: Mapping[str, ItemKind] = {kind.name: kind for kind in _ALL_KINDS}
#: The kinds whose items have an address; a change of any such item can change links and lists.
KINDS_WITH_PAGES = tuple(kind.name for kind in _ALL_KINDS if kind.has_page)
SLUG_KINDS = tuple(kind.name for kind in _ALL_KINDS if kind.keeps_slugs)
CONTENT_KINDS = tuple(kind.name for kind in _ALL_KINDS if kind.is_content)
TERM_KINDS = tuple(kind.name for kind in _ALL_KINDS if kind.is_term)
#: The kinds whose items everyone can read as long as the items exist.
PUBLIC_KINDS = tuple(kind.name for kind in _ALL_KINDS if ChangeType.UNPUBLISHED not in kind.events)
#: The names of the lists of terms in an export.
TERM_LISTS = tuple(kind.plural for kind in _ALL_KINDS if kind.is_term)


def list_models_with_pages() -> list[type[Any]]:
    """Return the models whose items have an address."""
    return [model for model in _list_models_with_events() if KINDS[model.kind].has_page]


def get_model_of_kind(name: str) -> type[Any]:
    """Return the model class that stores the terms or the articles of this kind."""
    return next(model for model in list_models_with_pages() if model.kind == name)


def check_kinds(*, settings: Collection[str], lists: Collection[str], blueprints: Collection[str]) -> None:
    """Raise CannotStart if a model with events has no kind, or if a part of the blog does not support a kind.

    `settings` are the settings of the site that a client can change, `lists` the lists that an export writes,
    and `blueprints` the names of the parts of the API.
    """
    kinds = {model.kind: model for model in _list_models_with_events()}
    problems = [f"declare the kind {kind!r} in publication/kinds.py" for kind in kinds.keys() - KINDS.keys()]
    for kind in _ALL_KINDS:
        if (kind.model or kind.name) not in kinds:
            problems.append(f"the kind {kind.name!r} has no model")
        if kind.has_page and f"{kind.name}_path" not in settings:
            problems.append(f"the site has no setting `{kind.name}_path`")
        if kind.plural not in blueprints:
            problems.append(f"the API has no blueprint `{kind.plural}`")
        if not kind.is_content and kind.plural not in lists:
            problems.append(f"an export has no list `{kind.plural}`")
    if problems:
        raise CannotStart(f"A kind of items is incomplete: {'; '.join(sorted(problems))}.")


def _list_models_with_events() -> Iterable[type[Any]]:
    models = (mapper.class_ for mapper in Base.registry.mappers)
    return sorted((model for model in models if issubclass(model, HasEvents)), key=lambda model: model.kind)
