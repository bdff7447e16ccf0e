"""The tags that a change purges."""

from __future__ import annotations

from uuid import UUID

import pytest

from blogapi.publication import shared_caching
from blogapi.publication.models import HasEvents
from blogapi.publication.visibility import ItemType
from blogapi.storage.database import Base

pytestmark = pytest.mark.no_database


def test_a_change_purges_the_item_and_the_lists_of_its_kind() -> None:
    uuid = UUID("3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d")
    assert shared_caching.list_purged_cache_tags("category", uuid) == [f"category-{uuid}", "categories"]
    assert shared_caching.list_purged_cache_tags("page", uuid, listed=False) == [f"page-{uuid}"]


def test_each_kind_with_events_has_a_tag() -> None:
    models = [mapper.class_ for mapper in Base.registry.mappers]
    kinds = {model.kind for model in models if issubclass(model, HasEvents)}
    assert kinds | {ItemType.PAGE.value} == {*shared_caching.KIND_TAGS}
