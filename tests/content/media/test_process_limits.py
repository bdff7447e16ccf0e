"""The limits of processes that read foreign files; `import_jobs/test_processes.py` exceeds them."""

from __future__ import annotations

import sys

import pytest

from blogapi.content.media import process_limits

resource = pytest.importorskip("resource", reason="Windows has no limits of processes")


def test_all_limits_are_set_and_one_that_the_system_refuses_is_skipped(monkeypatch):
    limits = {}

    def set_limit(name, values):
        if name == resource.RLIMIT_AS:
            raise ValueError
        limits[name] = values

    monkeypatch.setattr(resource, "setrlimit", set_limit)
    process_limits.limit_process(memory_bytes=1, cpu_seconds=2, file_bytes=3)
    assert limits == {
        resource.RLIMIT_CPU: (2, 2),
        resource.RLIMIT_FSIZE: (3, 3),
        resource.RLIMIT_CORE: (0, 0),
    }
    limits.clear()
    process_limits.limit_process(memory_bytes=1, cpu_seconds=2)
    assert resource.RLIMIT_FSIZE not in limits and len(limits) == 2


def test_a_system_without_limits_is_accepted(monkeypatch):
    monkeypatch.setitem(sys.modules, "resource", None)
    process_limits.limit_process(memory_bytes=1, cpu_seconds=2)
