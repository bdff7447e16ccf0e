"""The elements that the scripts find by `data-ref`: the templates have those that types.d.ts declares."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import blogapi
from tests.admin.blogs import SOURCE

pytestmark = pytest.mark.sqlite("no database")

ADMIN = Path(blogapi.__file__).parent / "admin"
# An attribute, an argument of a macro for fields, or the name of the form of a dialog.
NAMES = re.compile(r'data-ref(?:="|": ")(\w+)"|dialog\("[^"]+", "(\w+)"\)')


def list_declared():
    types = (ADMIN / "build" / "types.d.ts").read_text(encoding="utf-8")
    return set(re.findall(r"^  (\w+)\??:", types.split("interface Refs {")[1].split("\n}")[0], re.MULTILINE))


def list_names(template):
    text = template.read_text(encoding="utf-8")
    unnamed = len(re.findall(r'dialog\("[^"]+"\)', text))
    return ["form"] * unnamed + [first or second for first, second in NAMES.findall(text)]


def test_the_templates_have_the_declared_elements():
    templates = [
        path for path in (ADMIN / "templates" / "admin").glob("*.html") if path.name != "fields.html"
    ]
    names = {path.name: list_names(path) for path in templates}
    assert [
        (path, name) for path, found in names.items() for name, n in Counter(found).items() if n > 1
    ] == []
    assert {name for found in names.values() for name in found} == list_declared()


def test_the_scripts_use_each_declared_element():
    scripts = "".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.js"))
    used = set(re.findall(r"\brefs\.(\w+)", scripts))
    for names in re.findall(r"const \{([^}]+)\} = refs;", scripts):
        used |= set(re.findall(r"(\w+)(?::[^,]+)?", names))
    # showUntilHidden() of forms.js gets their names.
    assert list_declared() - used == {"codes", "once"}
