"""Returns the memory that threads have freed to the system."""

import ctypes
import sys

_TRIM_THRESHOLD, _ARENA_MAX = -1, -8


def return_freed_memory() -> None:
    """Let the threads share one pool of memory, which shrinks when its end is free.

    By default, glibc has a pool for each thread, and keeps up to 64 MB of freed memory in each. Other C
    libraries have no `mallopt`.
    """
    if sys.platform == "linux" and (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)):
        mallopt(_ARENA_MAX, 1)
        mallopt(_TRIM_THRESHOLD, 128 * 1024)
