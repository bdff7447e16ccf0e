"""What makes the tests fast: cheap hashes, images without processes, routes compiled once, little garbage."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Generator, Iterable
from contextlib import suppress
from importlib.metadata import Distribution, distributions
from pathlib import Path
from types import MethodType
from typing import Any

import pytest
from werkzeug.routing import Rule

from blogapi.accounts.users import passwords
from blogapi.content.media import images
from blogapi.importing.formats import registry

fcntl: Any = None
with suppress(ImportError):
    # Windows has no such locks.
    import fcntl

# The parameters of the application make each password cost a tenth of a second.
CHEAP_METHOD = "scrypt:256:8:1"
_METHOD, _DUMMY_DIGEST = passwords._HASH_METHOD, passwords._DUMMY_DIGEST

_run_worker = images._run_worker

# The packages of the environment have no formats, and reading the metadata of all takes 10 ms.
_ENVIRONMENT_PATHS = frozenset(sys.path)

_compile = Rule.compile
_compiled: dict[Any, Rule] = {}


def install() -> None:
    """Use all shortcuts in this process."""
    passwords._HASH_METHOD = CHEAP_METHOD
    passwords._DUMMY_DIGEST = f"{CHEAP_METHOD}$nobody$00"
    images._run_worker = _process_image
    registry.distributions = _list_added_distributions
    Rule.compile = _compile_once  # type: ignore[method-assign]
    # Collecting the tests creates millions of objects that stay.
    gc.disable()


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Let one worker compile the test files of a new clone; then the others read what it has compiled."""
    is_compiled = (Path(__file__).parent / "content" / "working_copies" / "__pycache__").exists()
    if is_compiled or fcntl is None or not hasattr(session.config, "workerinput"):
        return (yield)
    with Path(__file__).open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(lock, fcntl.LOCK_SH)
        return (yield)


def pytest_collection_finish() -> None:
    """Exclude everything that the tests share from garbage collections, which become rarer."""
    gc.collect()
    gc.freeze()
    # Fewer collections of young objects, which are rarely garbage when a test has just begun.
    gc.set_threshold(10_000, 5, 5)
    gc.enable()


def _list_added_distributions() -> Iterable[Distribution]:
    """Return the packages in the folders that a test has added to `sys.path`."""
    return distributions(path=[path for path in sys.path if path not in _ENVIRONMENT_PATHS])


def _process_image(job: dict[str, Any]) -> dict[str, Any]:
    """Return the result of the job without starting a process, which takes longer than most jobs."""
    # Most test files need no Pillow.
    from blogapi.content.media import image_worker

    result: dict[str, Any] = json.loads(json.dumps(image_worker.run_job(job)))
    return result


def _compile_once(rule: Rule) -> None:
    """Compile the rule, or take over what the same rule of a former application was compiled to."""
    assert rule.map is not None
    converters = frozenset(rule.map.converters.items())
    domain = rule.map.host_matching, rule.host, rule.subdomain
    key = (rule.rule, rule.merge_slashes, repr(rule.defaults), domain, converters)
    former = _compiled.get(key)
    if former is None:
        _compile(rule)
        _compiled[key] = rule
        return
    rule._parts, rule._trace, rule._converters = former._parts, former._trace, former._converters
    rule.arguments = former.arguments
    # These are methods of the former rule.
    rule._build = MethodType(former._build.__func__, rule)  # type: ignore[attr-defined]
    rule._build_unknown = MethodType(former._build_unknown.__func__, rule)  # type: ignore[attr-defined]


@pytest.fixture
def costly_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passwords as the application does."""
    monkeypatch.setattr(passwords, "_HASH_METHOD", _METHOD)
    monkeypatch.setattr(passwords, "_DUMMY_DIGEST", _DUMMY_DIGEST)


@pytest.fixture
def image_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Process each image in a process of its own, as the application does."""
    monkeypatch.setattr(images, "_run_worker", _run_worker)
