"""A view runs in a fixed order; the order of its decorators has no effect."""

from __future__ import annotations

import itertools
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace
from uuid import uuid4

import marshmallow as ma
import pytest
from flask import Response, g

from blogapi.publication.shared_caching import ShownContent, declare_shown_kinds
from blogapi.web.access import STRANGER, AccessRequirement, admin, allow, check_before_body, get_access
from blogapi.web.blueprint import Blueprint
from blogapi.web.errors import Invalid, NotFound
from blogapi.web.operation import get_operation
from blogapi.web.pagination import DetailQuery
from blogapi.web.slug_lookup import SlugOwner, accept_slugs

ID = uuid4()


class BodySchema(ma.Schema):
    name = ma.fields.String()


class ItemSchema(ma.Schema):
    uuid = ma.fields.UUID()
    name = ma.fields.String()


class Steps(list[str]):
    """The names of the steps that ran; the step `fails` raises the error."""

    fails = ""
    error: Exception = Invalid("Is invalid.")

    def run(self, name, *_args, **_values):
        self.append(name)
        if name == self.fails:
            raise self.error

    @contextmanager
    def receive(self, *_args, **_values):
        self.run("receive")
        yield "file"


@pytest.fixture
def steps(app):
    return Steps()


def declare_write(bp, steps):
    """Return the decorators of a write with all steps."""
    return [
        allow(admin, scope="write"),
        check_before_body(partial(steps.run, "check")),
        bp.check_exists(partial(steps.run, "lookup")),
        bp.check_exists(partial(steps.run, "late lookup"), in_view=True),
        bp.arguments(BodySchema),
        bp.write(
            200,
            ItemSchema(),
            SimpleNamespace(compute_etag=lambda id: steps.run("etag"), get_items_by_uuid=None),
            partial_schema=ItemSchema,
            receive_body=steps.receive,
            prepare_write=partial(steps.run, "prepare"),
        ),
        bp.doc(deprecated=True),
    ]


def declare_read(bp, steps):
    """Return the decorators of a read by uuid or slug."""

    def find_shown_content(query, id):
        steps.run("shown")
        return ShownContent((), {"article": [id]})

    return [
        allow(admin, scope="write"),
        check_before_body(partial(steps.run, "check")),
        bp.response(
            200, ItemSchema(), partial_schema=ItemSchema, query=DetailQuery, storable=False, section="4.8"
        ),
        accept_slugs(lambda slug: SlugOwner(ID, "new")),
        declare_shown_kinds(find=find_shown_content),
    ]


def decorate(decorators, view):
    for decorator in reversed(decorators):
        view = decorator(view)
    return view


def send(app, bp, view, reference, **request):
    with app.test_request_context("/items/", **request):
        g.caller, g.check_caller = STRANGER, lambda: None
        return bp.run_view(get_operation(view), view, id=reference), g.get("shown")


def describe(view):
    """Return what a view declares, in a form that can be compared."""
    operation = get_operation(view)
    declared = {name: getattr(operation, name) for name in operation.__slots__}
    return declared | {"fields_query": {*operation.fields_query.fields}}


def make_write(steps, order=None):
    bp = Blueprint("items", __name__, description="Items")

    def view(fields, file, id):
        """Change an item."""
        steps.run(f"view {fields} {file}")
        return Response(status=200)

    decorators = declare_write(bp, steps)
    return bp, decorate(decorators if order is None else [decorators[index] for index in order], view)


@pytest.mark.parametrize("declare", [declare_write, declare_read])
def test_the_order_of_the_decorators_has_no_effect(steps, declare):
    decorators = declare(Blueprint("items", __name__, description="Items"), steps)
    orders = list(itertools.permutations(decorators))
    # All 5,040 orders of a write would take seconds; these have each pair of decorators both ways.
    declared, *others = (
        describe(decorate(order, lambda **_: None)) for order in orders[:: len(orders) // 120]
    )
    assert declared["status"] == 200 and declared["access"] == AccessRequirement(admin, "write")
    assert all(other == declared for other in others)


def test_a_write_runs_in_a_fixed_order(app, steps):
    for order in (range(7), (6, 5, 4, 3, 2, 1, 0), (4, 0, 5, 2, 6, 1, 3)):
        steps.clear()
        bp, view = make_write(steps, order)
        response, _ = send(
            app, bp, view, ID, method="PATCH", json={"name": "x"}, headers={"If-None-Match": "*"}
        )
        assert response.status_code == 200
        assert steps == [
            "check",
            "lookup",
            "receive",
            "prepare",
            "late lookup",
            "etag",
            "view {'name': 'x'} file",
        ]


@pytest.mark.parametrize("json", [{"name": 1}, {"unknown": "x"}])
def test_an_invalid_body_is_refused_after_the_lookups_and_before_the_work(app, steps, json):
    bp, view = make_write(steps)
    with pytest.raises(Invalid):
        send(app, bp, view, ID, method="PATCH", json=json)
    assert steps == ["check", "lookup", "late lookup"]


def test_the_error_of_a_lookup_after_an_error_replaces_it(app, steps):
    bp, view = make_write(steps)
    steps.fails, steps.error = "late lookup", NotFound("There is no such item.")
    with pytest.raises(NotFound):
        send(app, bp, view, ID, method="PATCH", json={"unknown": "x"})


@pytest.mark.parametrize("step", ["check", "lookup", "receive", "prepare"])
def test_nothing_runs_after_a_step_that_fails(app, steps, step):
    bp, view = make_write(steps)
    steps.fails = step
    with pytest.raises(Invalid):
        send(app, bp, view, ID, method="PATCH", json={"name": "x"})
    assert steps[steps.index(step) + 1 :] == ["late lookup"]


@pytest.mark.parametrize(("reference", "status"), [(ID, 200), ("new", 200), ("former", 308)])
def test_a_read_by_reference_runs_in_a_fixed_order(app, steps, reference, status):
    bp = Blueprint("items", __name__, description="Items")

    def view(query, id):
        """Return an item."""
        steps.run("view")
        return {"uuid": id, "name": "x"}

    view = decorate(declare_read(bp, steps)[::-1], view)
    response, shown = send(app, bp, view, reference)
    assert steps == ["check", "view", "shown"]
    assert (response.status_code, shown) == (status, ShownContent((), {"article": [ID]}))
    assert response.headers["Cache-Control"] == "no-store" and response.headers["Allow"]
    assert get_access(view) == AccessRequirement(admin, "write")
