"""Limits the processes that read untrusted files; the image worker imports this file without blogapi."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress


def limit_process(*, memory_bytes: int, cpu_seconds: int, file_bytes: int | None = None) -> None:
    """Limit the memory and the processor time of this process, and the size of the files that it writes.

    Windows has no such limits.
    """
    try:
        import resource
    except ImportError:
        return
    limits: Mapping[int, int | None] = {
        resource.RLIMIT_AS: memory_bytes,
        resource.RLIMIT_CPU: cpu_seconds,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_CORE: 0,
    }
    for name, value in limits.items():
        # The call fails if the system has a lower limit, which then applies, or lacks this kind of limit.
        with suppress(ValueError, OSError):
            if value is not None:
                resource.setrlimit(name, (value, value))
