"""Create the categories and tags that a source describes apart from its articles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from blogapi.content.taxonomies import queries, service
from blogapi.content.taxonomies.categories import CATEGORIES
from blogapi.content.taxonomies.tags import TAGS
from blogapi.content.taxonomies.taxonomy import Taxonomy
from blogapi.importing.format_api.article_record import TermRecord
from blogapi.importing.storing.state import REFUSAL_ERRORS, ImportState, describe_refusal
from blogapi.rendering.slugs import make_term_key
from blogapi.storage.database import savepoint, split_values

_TAXONOMIES: dict[str, Taxonomy[Any]] = {taxonomy.singular: taxonomy for taxonomy in (CATEGORIES, TAGS)}
# Other writers wait while a transaction is open: creating a term takes about 3 ms.
TERMS_PER_TRANSACTION = 100

AnyItem = TypeVar("AnyItem")
Key = TypeVar("Key")


def store_terms(
    state: ImportState,
    terms: Iterable[TermRecord],
    open_transaction: Callable[[], AbstractContextManager[None]],
) -> list[str]:
    """Create the terms that do not exist; return sentences about data that was not imported.

    An existing term stays as it is. Authors are created with their articles.
    """
    supported = [term for term in terms if term.kind in _TAXONOMIES]
    problems: list[str] = []
    dropped: Counter[tuple[str, str]] = Counter()
    existing: set[tuple[str, str]] = set()
    for kind, taxonomy in _TAXONOMIES.items():
        names = {term.name for term in supported if term.kind == kind}
        # Looking up terms needs no write lock.
        existing |= {(kind, name) for name in queries.find_terms_by_names(taxonomy, names)}
    new = [term for term in supported if (term.kind, term.name) not in existing]
    parents = {make_term_key(term.name): make_term_key(term.parent) for term in new if term.parent}
    ordered = list_parents_first(new, parents, lambda term: make_term_key(term.name))
    for group in split_values(ordered, TERMS_PER_TRANSACTION):
        with open_transaction():
            for term in group:
                taxonomy = _TAXONOMIES[term.kind]
                fields = {name: text for name, text in term.fields.items() if text}
                unknown = fields.keys() - taxonomy.body_schema._declared_fields.keys()
                dropped.update((term.kind, name) for name in unknown)
                try:
                    with savepoint():
                        known = {name: text for name, text in fields.items() if name not in unknown}
                        is_own = not term.parent or make_term_key(term.parent) == make_term_key(term.name)
                        if taxonomy is CATEGORIES and not is_own:
                            parent = queries.find_terms_by_names(taxonomy, [term.parent]).get(term.parent)
                            known |= {"parent": str(parent.uuid)} if parent else {}
                        created = service.get_or_create_term(taxonomy, state.author, term.name, **known)
                    state.plan_term(make_term_key(term.name), created)
                except REFUSAL_ERRORS as error:
                    reason = describe_refusal(error)
                    problems.append(f"The {term.kind} “{term.name[:100]}” was not created: {reason}")
    for (kind, name), number in sorted(dropped.items()):
        problems.append(
            f"Not imported: {name} ({number:,}), because a {kind} in this blog has no such field."
        )
    return problems


def list_parents_first(
    items: Iterable[AnyItem], parents: Mapping[Key, Key], get_key: Callable[[AnyItem], Key]
) -> list[AnyItem]:
    """Return the terms or pages so that each comes after its parent, except in a cycle.

    `parents` maps the key of an item to the key of its parent.
    """

    def count_ancestors(item: AnyItem) -> int:
        key, above = get_key(item), set[Key]()
        while key in parents and parents[key] not in above:
            key = parents[key]
            above.add(key)
        return len(above)

    return sorted(items, key=count_ancestors)
