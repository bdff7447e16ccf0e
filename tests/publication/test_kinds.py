"""The declaration of the kinds of items."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest

from blogapi import blueprints, create_app
from blogapi.config import CannotStart
from blogapi.exporting import service as exports
from blogapi.exporting.export_files import DATA_LISTS
from blogapi.exporting.layouts import LAYOUTS
from blogapi.exporting.snapshot import Snapshot
from blogapi.publication import kinds
from blogapi.publication.models import HasEvents
from blogapi.site.schemas import SiteChangesSchema


def test_the_kinds_have_all_parts(app):
    # The start has checked them.
    assert [model.kind for model in kinds.list_models_with_pages()] == [
        "article",
        "author",
        "category",
        "tag",
    ]


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"is_term": True}, "the kind 'place' has no model; the site has no setting `place_path`"),
        ({"model": "article", "is_content": True}, "the site has no setting `place_path`"),
        (
            {},
            "an export has no list `places`; the API has no blueprint `places`; "
            "the kind 'place' has no model",
        ),
    ],
)
def test_a_kind_that_lacks_a_part_is_refused_at_the_start(app, monkeypatch, changes, missing):
    kind = kinds.ItemKind(**{"name": "place", "plural": "places", "events": {}} | changes)
    monkeypatch.setattr(kinds, "_ALL_KINDS", (*kinds._ALL_KINDS, kind))
    with pytest.raises(CannotStart, match=missing):
        create_app()


def test_a_kind_that_no_export_writes_is_refused_at_the_start(app, monkeypatch):
    @dataclasses.dataclass(frozen=True, slots=True)
    class WithPlaces(Snapshot):
        places: Sequence[str] = ()

    kind = kinds.ItemKind(name="place", plural="places", events={})
    monkeypatch.setattr(kinds, "_ALL_KINDS", (*kinds._ALL_KINDS, kind))
    monkeypatch.setattr(blueprints, "Snapshot", WithPlaces)
    with pytest.raises(CannotStart, match="an export has no list `places`"):
        create_app()


def test_an_export_writes_the_lists_of_each_kind(app, tmp_path):
    with app.app_context():
        exports.write_export(tmp_path / "export", LAYOUTS["default"], drafts=True)
    written = {path.stem for path in (tmp_path / "export").glob("*.yaml")}
    # A blog without custom fields has no file for them.
    assert written == {*DATA_LISTS, "blogapi"} - {"fields"}


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
