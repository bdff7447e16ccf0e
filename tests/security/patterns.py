"""Finds the regular expressions of the package, and how each is used."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import blogapi

_METHODS = {"match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}
_FLAGS = re.compile(r"re\.[A-Z]+(?: \| re\.[A-Z]+)*")


@dataclass(frozen=True)
class Use:
    """A pattern, where it is, and one of the methods that are called."""

    place: str
    pattern: re.Pattern[Any]
    method: str


def list_uses() -> list[Use]:
    """Return each pattern of the package with each method that is called: `match`, `search`, `findall` ..."""
    modules = [
        importlib.import_module(info.name)
        for info in pkgutil.walk_packages(blogapi.__path__, "blogapi.")
        if not info.name.endswith("__main__")
    ]
    methods: dict[re.Pattern[Any], set[str]] = defaultdict(set)
    places: dict[re.Pattern[Any], str] = {}
    for module in modules:
        tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
        for place, pattern, method in (*_list_inline(module, tree), *_list_named(module, tree)):
            places.setdefault(pattern, place)
            methods[pattern].add(method)
    for module in modules:
        for name, value in vars(module).items():
            for pattern in _list_patterns(value, module):
                places.setdefault(pattern, f"{module.__name__}.{name}")
                # Nothing is known about patterns in containers.
                if pattern not in methods:
                    methods[pattern] = {"findall", "fullmatch"}
    return [
        Use(places[pattern], pattern, method) for pattern in places for method in sorted(methods[pattern])
    ]


def _list_patterns(value: Any, module: ModuleType) -> Iterator[re.Pattern[Any]]:
    """Yield the patterns in a value of a module: in containers, dataclasses and classes too."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, Mapping):
        yield from _list_patterns(tuple(value.values()), module)
    elif isinstance(value, (tuple, list, set, frozenset)):
        for item in value:
            yield from _list_patterns(item, module)
    elif isinstance(value, type) and value.__module__ == module.__name__:
        yield from (item for item in vars(value).values() if isinstance(item, re.Pattern))
    elif is_dataclass(type(value)):
        yield from _list_patterns([getattr(value, field.name) for field in fields(value)], module)


def _list_named(module: ModuleType, tree: ast.AST) -> Iterator[tuple[str, re.Pattern[Any], str]]:
    """Yield each named pattern, and how it is used. One that is passed on can be used in every way."""
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Name, ast.Attribute)) or not isinstance(node.ctx, ast.Load):
            continue
        pattern = _resolve(node, module)
        if not isinstance(pattern, re.Pattern):
            continue
        parent, place = parents[node], f"{module.__name__}.{ast.unparse(node)}"
        if not isinstance(parent, ast.Attribute):
            yield place, pattern, "findall"
            yield place, pattern, "fullmatch"
        elif parent.attr in _METHODS:
            yield place, pattern, _simplify(parent.attr, parents[parent])


def _resolve(node: ast.expr, module: ModuleType) -> Any:
    if isinstance(node, ast.Name):
        return vars(module).get(node.id)
    owner = _resolve(node.value, module) if isinstance(node, ast.Attribute) else None
    return vars(owner).get(node.attr) if isinstance(owner, (ModuleType, type)) else None


def _simplify(method: str, call: ast.AST) -> str:
    if method in ("match", "fullmatch"):
        return method
    # A search with a position is one of several in the same text.
    has_position = not isinstance(call, ast.Call) or len(call.args) > 1
    return "search" if method == "search" and not has_position else "findall"


def _list_inline(module: ModuleType, tree: ast.AST) -> Iterator[tuple[str, re.Pattern[Any], str]]:
    """Yield the patterns that functions use without a name."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if ast.unparse(node.func.value) != "re" or node.func.attr not in _METHODS:
            continue
        values = [ast.unparse(value) for value in (*node.args, *(item.value for item in node.keywords))]
        flags = next((value for value in values if _FLAGS.fullmatch(value)), "0")
        pattern = re.compile(_evaluate(node.args[0], module), eval(flags))  # noqa: S307, the package's own source
        method = node.func.attr if node.func.attr in ("match", "fullmatch", "search") else "findall"
        yield f"{module.__name__}:{node.lineno}", pattern, method


def _evaluate(node: ast.expr, module: ModuleType) -> str | bytes:
    """Return the text of a pattern; what only the running function knows becomes `x`."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(_evaluate(part, module)) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        node = node.value
    try:
        value: str | bytes = eval(ast.unparse(node), vars(module))  # noqa: S307
    except NameError:
        return "x"
    return value
