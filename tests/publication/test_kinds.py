"""The declaration of the kinds of items."""

from __future__ import annotations

import pytest

from blogapi import create_app
from blogapi.config import CannotStart
from blogapi.publication import kinds
from blogapi.publication.models import HasEvents
from blogapi.site.schemas import SiteChangesSchema


def test_the_kinds_have_all_parts(app):
    # The start has checked them.
    assert [model.kind for model in kinds.list_models()] == ["article", "author", "category", "tag"]


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({}, "the kind 'place' has no model; the site has no setting `place_path`"),
        ({"model": "article", "is_content": True}, "the site has no setting `place_path`"),
        (
            {"has_page": False},
            "an export has no list `places`; the API has no blueprint `places`; "
            "the kind 'place' has no model",
        ),
    ],
)
def test_a_kind_that_lacks_a_part_is_refused_at_the_start(app, monkeypatch, changes, missing):
    kind = kinds.ItemKind(**{"name": "place", "plural": "places", "events": {}} | changes)
    monkeypatch.setattr(kinds, "_ALL", (*kinds._ALL, kind))
    with pytest.raises(CannotStart, match=missing):
        create_app()


def test_a_path_that_no_client_can_change_is_refused_at_the_start(app, monkeypatch):
    monkeypatch.delitem(SiteChangesSchema._declared_fields, "tag_path")
    with pytest.raises(CannotStart, match="the site has no setting `tag_path`"):
        create_app()


def test_a_model_of_an_unknown_kind_is_refused_at_the_start(app, monkeypatch):
    class Place(HasEvents):
        kind = "place"

    monkeypatch.setattr(kinds, "_list_models_with_events", lambda: [Place])
    with pytest.raises(CannotStart, match=r"declare the kind 'place' in publication/kinds\.py"):
        create_app()
