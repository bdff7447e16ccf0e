"""The faults are in code, and a test that notices one is found."""

from itertools import islice
from pathlib import Path

import pytest

from tests.faults.__main__ import draw, find_test, list_javascript, list_python, parse

PYTHON = "def find(a, b):\n    if a < 2 and b:\n        raise Late(404)\n    return min(a, b)\n"
JAVASCRIPT = 'function run() {\n  if (!a) return;\n  show(await get("b", true));\n}\n'


def test_conditions_arguments_and_statements_are_changed():
    for source, list_functions, number, some in (
        (PYTHON, list_python, 13, {"2 → 3", "a < 2 → a <= 2", "min → max", "raise Late(404) → pass"}),
        (JAVASCRIPT, list_javascript, 9, {"await  → ", "!a → !(!a)", "true → false", "if (!a) return; → ;"}),
    ):
        [(lines, edits)] = list_functions(source)
        assert (lines, len(edits)) == (4 - (lines == 3), number)
        assert some <= {f"{source[start:end]} → {text}" for _, start, end, text in edits}


def test_a_seed_draws_the_same_faults_again():
    first, second = (list(islice(draw(1, "blogapi/clock.py"), 3)) for _ in range(2))
    assert first == second and len({changed for _, changed in first}) == 3


def test_annotations_and_messages_of_logs_are_not_changed():
    a, b = "def f(a: int = 1):\n    log.info(1)\n", "def f(a: str = 1):\n    log.info(2)\n"
    assert parse(Path("a.py"), a) == parse(Path("a.py"), b) != parse(Path("a.py"), b.replace("= 1", "= 2"))


@pytest.mark.slow
def test_a_test_that_fails_only_because_of_the_fault_is_found(tmp_path):
    copy, unchanged = tmp_path / "copy", tmp_path / "unchanged"
    for folder, text in ((copy, "b"), (unchanged, "a")):
        (folder / "tests/web").mkdir(parents=True)
        lines = ("def test_always():", "    assert 0", "def test_name():", f"    assert {text!r} == 'a'")
        (folder / "tests/web/test_a.py").write_text("\n".join(lines), encoding="utf-8")
    assert find_test(Path("blogapi/web/json.py"), copy, unchanged) == "tests/web/test_a.py::test_name"
