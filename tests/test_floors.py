"""The architecture: an import goes down, or sideways to a resource listed earlier."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import blogapi

ROOT = Path(blogapi.__file__).parent
MODULES = sorted(path for path in ROOT.rglob("*.py") if "migrations" not in path.parts)

# Low to high. An import goes to a lower name, or to the same name of a resource that stands earlier.
FILES = (
    *(
        "rules",
        "records",
        "folder",
        "markdown",
        "models",
        "schemas",
        "engines",
        "selections",
        "documents",
        "archive",
        "queries",
        "service",
        "rendering",
        "contents",
        "staging",
        "restoring",
        "daily",
        "examples",
        "document",
        "limits",
        "log",
        "parser",
        "budget",
        "unread",
        "tasks",
        "channel",
        "listening",
        "proxy",
        "server",
    ),
    *("commands", "pages", "routes"),
)
RESOURCES = (
    *("users", "api_keys", "categories", "tags", "redirects", "search", "articles", "revisions"),
    *("previews", "changes", "transfer", "demo", "doctor", "backups", "moving", "health", "metrics"),
    *("openapi", "serving"),
)
# The assembly stands above all resources.
TOP = ("hooks", "registry", "replay", "throttle", "__main__")


def name_of(path: Path) -> tuple[str, ...]:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def imports(path: Path) -> Iterator[tuple[str, ...]]:
    """Yield what a module imports of blogapi, also inside functions and for types only."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (
                tuple(alias.name.split(".")[1:]) for alias in node.names if alias.name.startswith("blogapi")
            )
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "blogapi":
            for alias in node.names:
                whole = (*(node.module or "").split(".")[1:], alias.name)
                known = (ROOT.joinpath(*whole)).with_suffix(".py").exists() or ROOT.joinpath(*whole).is_dir()
                yield whole if known else whole[:-1]


EDGES = [(name_of(path), target) for path in MODULES for target in imports(path) if target]


def test_every_folder_has_its_place():
    folders = {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()}
    assert folders <= {*RESOURCES, "core"}


def violation(source: tuple[str, ...], target: tuple[str, ...]) -> str:
    """Return what is wrong with an import, or "" where it is allowed."""
    if target[0] == "core":
        return ""
    if source[:1] == ("core",):
        return "core knows no resource"
    if len(source) < 2 or source[0] not in RESOURCES:
        return ""
    if target[0] not in RESOURCES:
        return "it stands above"
    if source[:2] == target[:2]:
        # Inside the folder of one reader; that there are no circles holds there too.
        return ""
    if not {source[1], *target[1:2]} <= {*FILES} or len(target) < 2:
        return "a file without a place in FILES"
    low, high = FILES.index(target[1]), FILES.index(source[1])
    earlier = RESOURCES.index(target[0]) < RESOURCES.index(source[0])
    return "" if low < high or (low == high and earlier) else "it goes up"


def test_every_import_goes_down_or_to_an_earlier_resource():
    violations = [
        f"{'.'.join(source)} imports {'.'.join(target)}: {why}"
        for source, target in EDGES
        if (why := violation(source, target))
    ]
    assert not violations, "\n".join(violations)


def test_there_are_no_circles():
    graph: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for source, target in EDGES:
        if source:
            graph.setdefault(source, set()).add(target)
    done: set[tuple[str, ...]] = set()

    def visit(node: tuple[str, ...], trail: tuple[tuple[str, ...], ...]) -> None:
        assert node not in trail, " -> ".join(".".join(step) for step in (*trail, node))
        if node not in done:
            for target in sorted(graph.get(node, ())):
                visit(target, (*trail, node))
            done.add(node)

    for node in sorted(graph):
        visit(node, ())


def test_nothing_imports_the_assembly():
    above = {target for source, target in EDGES if source and source[0] not in TOP and target[0] in TOP}
    assert not above


def test_every_module_says_what_it_is():
    silent = [
        path.name for path in MODULES if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not silent
