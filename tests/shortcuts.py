"""What makes the tests fast: cheap hashes, routes that are compiled once, few garbage collections."""

from __future__ import annotations

import gc
from typing import Any

import pytest
from werkzeug.routing import Rule

from blogapi.users import passwords

# The parameters of the application make each password cost a tenth of a second.
CHEAP_METHOD = "scrypt:256:8:1"
_METHOD, _DUMMY_DIGEST = passwords._METHOD, passwords._DUMMY_DIGEST

_compile = Rule._compile_builder
_builders: dict[Any, Any] = {}


def install() -> None:
    """Use all shortcuts in this process."""
    passwords._METHOD = CHEAP_METHOD
    passwords._DUMMY_DIGEST = f"{CHEAP_METHOD}$nobody$00"
    Rule._compile_builder = _compile_once  # type: ignore[method-assign]
    # Collecting the tests creates millions of objects that stay.
    gc.disable()


def pytest_collection_finish() -> None:
    """Exclude everything that the tests share from garbage collections."""
    gc.collect()
    gc.freeze()
    gc.enable()


def _compile_once(rule: Rule, append_unknown: bool = True) -> Any:
    """Return the function that builds addresses of the rule; all applications have the same rules."""
    key = (rule.rule, tuple(rule._trace), repr(rule.defaults), append_unknown)
    if key not in _builders:
        _builders[key] = _compile(rule, append_unknown)
    return _builders[key]


@pytest.fixture
def costly_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passwords as the application does."""
    monkeypatch.setattr(passwords, "_METHOD", _METHOD)
    monkeypatch.setattr(passwords, "_DUMMY_DIGEST", _DUMMY_DIGEST)
