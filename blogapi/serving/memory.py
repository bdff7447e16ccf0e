"""Makes glibc return the memory that threads have freed to the operating system."""

import ctypes
import sys

_TRIM_THRESHOLD, _ARENA_MAX = -1, -8


def return_freed_memory() -> None:
    """Make glibc use one memory pool for all threads, and shrink it when memory at its end is free.

    By default, glibc has a pool for each thread and keeps up to 64 MB of freed memory in each pool. With a C
    library that has no `mallopt`, this does nothing.
    """
    if sys.platform == "linux" and (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)):
        mallopt(_ARENA_MAX, 1)
        mallopt(_TRIM_THRESHOLD, 128 * 1024)
