"""The registry of views and their access rules."""

from __future__ import annotations

import re

import pytest
from flask import Blueprint

from blogapi import blueprints, create_app
from blogapi.config import CannotStart
from blogapi.web.access import allow, anyone
from tests.conftest import ARTICLES, CATEGORIES, KEYS, TAGS


def register_view(monkeypatch, view):
    pages = Blueprint("bare", __name__)
    pages.add_url_rule("/bare", view_func=view)
    monkeypatch.setattr(blueprints, "NON_API_BLUEPRINTS", (*blueprints.NON_API_BLUEPRINTS, pages))


def test_a_view_without_a_rule_is_refused_at_the_start(monkeypatch):
    def bare():
        return "public by mistake"

    register_view(monkeypatch, bare)
    with pytest.raises(CannotStart, match=r"bare\.bare"):
        create_app()


def test_a_view_with_a_rule_is_accepted(monkeypatch, make_app, make_client):
    @allow(anyone)
    def bare():
        return "public on purpose"

    register_view(monkeypatch, bare)
    assert make_client(make_app()).get("/bare").text == "public on purpose"


def test_routes_prints_every_operation_with_its_rule(app):
    result = app.test_cli_runner().invoke(args=["routes"])
    lines = [re.split(r"\s{2,}", line.strip()) for line in result.stdout.splitlines()]
    printed = {tuple(line[:4]) for line in lines}
    operations = list(blueprints.list_operations(app))
    assert result.exit_code == 0
    assert {
        (path, method, access.rule.name, access.scope) for path, method, _, access in operations
    } <= printed
    assert len(operations) == len(set(operations)) >= 20


def test_the_documented_operations_have_their_rules(app):
    rules = {(method, path): access.rule.name for path, method, _, access in blueprints.list_operations(app)}
    expected = {
        ("POST", KEYS): "guest",
        ("DELETE", f"{KEYS}<id:id>/"): "reader",
        ("GET", CATEGORIES): "reader",
        ("GET", f"{CATEGORIES}<reference:id>/"): "reader",
        ("GET", TAGS): "reader",
        ("GET", f"{TAGS}<reference:id>/"): "reader",
        ("GET", ARTICLES): "reader",
        ("GET", f"{ARTICLES}<reference:id>/"): "reader",
        ("GET", f"{ARTICLES}author/me/"): "admin",
    }
    assert {operation: rules[operation] for operation in expected} == expected
