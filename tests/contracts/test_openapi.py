"""The OpenAPI document equals the committed one, so that no change of the API goes unnoticed."""

from __future__ import annotations

import shutil
from copy import deepcopy

from tests.contracts import client_types, openapi


def test_the_document_equals_the_committed_one(contract):
    changes = openapi.make_diff(contract.original)
    assert not changes, f"{changes}\n\nIf this is intended: python -m tests.contracts.openapi"


def test_a_changed_schema_is_shown_line_by_line(contract):
    changed = deepcopy(contract.original)
    del changed["components"]["schemas"]["EmbeddedCategory"]["properties"]["slug"]
    lines = openapi.make_diff(changed).splitlines()
    assert '-          "slug": {' in lines and not [line for line in lines[2:] if line.startswith("+")]


def test_the_command_writes_the_committed_files(contract, monkeypatch, tmp_path):
    for module in (openapi, client_types):
        shutil.copy(module.FILE, tmp_path)
    committed = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(committed) == 2
    for module in (openapi, client_types):
        monkeypatch.setattr(module, "FILE", tmp_path / module.FILE.name)
    openapi.write_document()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == committed


def test_the_types_of_the_client_are_those_of_the_document(contract):
    text = client_types.FILE.read_text(encoding="utf-8")
    assert text.endswith(client_types.HEADING + client_types.make_types(contract.original))
