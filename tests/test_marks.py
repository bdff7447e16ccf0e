"""Which slow tests a run leaves out."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import marks

FAST, SLOW = Path("tests/test_fast.py").resolve(), Path("tests/test_slow.py").resolve()


def make_item(path, *names):
    return SimpleNamespace(path=path, get_closest_marker=lambda name: name in names)


@pytest.mark.parametrize(
    ("arguments", "options", "runs"),
    [
        (["tests"], {}, False),
        (["tests/test_fast.py"], {}, False),
        (["tests/test_slow.py"], {}, True),
        (["tests/test_fast.py", "tests/test_slow.py::test_a[x::y]"], {}, True),
        (["tests"], {"slow": True}, True),
        (["tests"], {"markexpr": "slow and not once"}, True),
        (["tests"], {"markexpr": "sqlite"}, False),
    ],
)
def test_a_slow_test_runs_if_it_is_asked_for(arguments, options, runs):
    fast, slow, left_out = make_item(FAST), make_item(SLOW, "slow"), []
    hook = SimpleNamespace(pytest_deselected=lambda items: left_out.extend(items))
    option = SimpleNamespace(**{"slow": False, "markexpr": ""} | options)
    items = [fast, slow]
    marks.pytest_collection_modifyitems(SimpleNamespace(args=arguments, option=option, hook=hook), items)
    assert (items, left_out) == (([fast, slow], []) if runs else ([fast], [slow]))


def test_each_marked_path_exists():
    assert [path for path in (*marks.NO_DATABASE, *marks.ONCE, marks.NOT_ONCE) if not path.exists()] == []
