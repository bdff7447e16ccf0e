"""The page about problems quotes messages and codes that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import get_args

import pytest

import blogapi
from blogapi.operations.health import routes
from blogapi.web.errors import ErrorCode
from tests.contracts.guide import GUIDE, get_section

PAGE = GUIDE / "troubleshooting.md"
TEXT = PAGE.read_text(encoding="utf-8").partition("## Finding problems")[0]
# A message begins with a capital, or with `…` for a part that differs; commands and settings do not.
MESSAGES = sorted(set(re.findall(r"`((?:[A-Z]|… |an )[^`=]* [^`=]*)`", TEXT)))


@pytest.fixture(scope="module")
def code_texts():
    """All texts in the code of the package; a text with values consists of several."""
    trees = (
        ast.parse(path.read_text(encoding="utf-8")) for path in Path(blogapi.__file__).parent.rglob("*.py")
    )
    constants = (node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return "\n".join(text for text in constants if isinstance(text, str))


@pytest.mark.parametrize("message", MESSAGES)
def test_each_message_is_in_the_code(code_texts, message):
    # What the operating system says follows a colon.
    parts = re.sub(r": (Connection refused|timed out)\.$", ": ", message).split("…")
    assert [part for part in parts if part.strip(" .") and part not in code_texts] == []


def test_the_page_quotes_messages():
    assert len(MESSAGES) > 25


def test_each_code_of_a_refused_key_exists():
    codes = re.findall(r"^\| `\d+` `(\w+)` ", TEXT, re.MULTILINE)
    assert len(codes) == 8 and set(codes) <= set(get_args(ErrorCode))


def test_each_problem_and_warning_of_the_health_check_is_on_the_page():
    names = re.findall(r"^\| `(\w+)` ", get_section(PAGE, "`/health` names a problem"), re.MULTILINE)
    warnings = {routes.WEBHOOKS_WAIT, routes.BACKUP_LATE}
    assert set(names) == {*routes.PROBLEM_DETAILS, "upgrading", *warnings} and len(names) == len(set(names))
