"""The tests of the benchmarks need psutil, which on Linux imports modules that Windows lacks."""

from __future__ import annotations

from tests.audit_hooks import windows

collect_ignore_glob = ["test_*.py"] if windows.is_on() else []
