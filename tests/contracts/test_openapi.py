"""The OpenAPI document equals the committed one, so that no change of the API goes unnoticed."""

from __future__ import annotations

from copy import deepcopy

from tests.contracts import openapi


def test_the_document_equals_the_committed_one(contract):
    changes = openapi.make_diff(contract.document)
    assert not changes, f"{changes}\n\nIf this is intended: python -m tests.contracts.openapi"


def test_a_changed_schema_is_shown_line_by_line(contract):
    changed = deepcopy(contract.document)
    del changed["components"]["schemas"]["Article"]["properties"]["slug"]
    lines = openapi.make_diff(changed).splitlines()
    assert '-          "slug": {' in lines and not [line for line in lines[2:] if line.startswith("+")]


def test_the_command_writes_the_committed_file(contract, monkeypatch, tmp_path):
    committed = openapi.FILE.read_bytes()
    monkeypatch.setattr(openapi, "FILE", tmp_path / "openapi.json")
    openapi.write_document()
    assert (tmp_path / "openapi.json").read_bytes() == committed
