"""The fingerprint covers all code that the stored JSON of articles depends on."""

from __future__ import annotations

import ast
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import blogapi
from blogapi.articles.fingerprint import LIBRARIES, SOURCES

ROOT = Path(blogapi.__file__).parent

# `json_writer` imports these files, but they do not influence the stored JSON.
WITHOUT_INFLUENCE = ("__init__.py", "clock.py", "config.py", "storage/", "users/", "version.py", "web/")
ENGINES = {"alembic", "click", "flask", "flask-sqlalchemy", "sqlalchemy", "werkzeug"}


def imported_modules(path):
    """Yield the modules that a file imports, as dotted names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def find_file(module):
    """Return the file of a module of the package, or None for any other name."""
    place = ROOT.parent.joinpath(*module.split("."))
    found = [path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()]
    return found[0] if found and module.split(".")[0] == "blogapi" else None


def imported_files(module):
    """Return the file of a module and all files that it imports directly or indirectly.

    `blogapi/__init__.py` is left out: it imports the whole application.
    """
    waiting, found = [find_file(module)], set()
    while waiting:
        path = waiting.pop()
        if path in found or path == ROOT / "__init__.py":
            continue
        found.add(path)
        waiting += [other for name in imported_modules(path) if (other := find_file(name))]
    return found


FILES = imported_files("blogapi.articles.json_writer")


def is_covered(path):
    inside = path.relative_to(ROOT).as_posix()
    return any(inside == source or inside.startswith(f"{source}/") for source in SOURCES)


def test_every_module_that_renders_the_json_is_in_the_fingerprint():
    missing = {path.relative_to(ROOT).as_posix() for path in FILES if not is_covered(path)}
    assert not {name for name in missing if not name.startswith(WITHOUT_INFLUENCE)}


def test_every_library_that_renders_the_json_is_in_the_fingerprint():
    distributions = packages_distributions()
    names = {name.split(".")[0] for path in FILES if is_covered(path) for name in imported_modules(path)}
    used = {
        distributions[name][0].lower() for name in names - sys.stdlib_module_names if name in distributions
    }
    assert used - ENGINES - {"blogapi"} <= set(LIBRARIES)


def test_a_changed_line_changes_the_fingerprint(monkeypatch, tmp_path):
    from blogapi.articles import fingerprint as module

    for source in SOURCES:
        for file in [*(ROOT / source).glob("*.py")] if (ROOT / source).is_dir() else [ROOT / source]:
            copy = tmp_path / file.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())
    monkeypatch.setattr(module, "_ROOT", tmp_path)
    before = module.compute_fingerprint.__wrapped__()
    assert before == module.compute_fingerprint()
    for changed in ("content/plain_text.py", "web/fields.py", "tags/schemas.py"):
        with (tmp_path / changed).open("a", encoding="utf-8") as file:
            file.write("# changed\n")
        after = module.compute_fingerprint.__wrapped__()
        assert after != before
        before = after
