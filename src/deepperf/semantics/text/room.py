"""Room for recursion: long flat code has deep trees, as each `elif` stands in the one before."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

_STACK = 512 * 2**20
"""Bytes of address space; a system gives memory only for what is used of it."""
_DEEPEST = 60_000
"""Calls within each other. What does not fit then is nested as no parser takes it."""

T = TypeVar("T")


def with_room_if_needed(work: Callable[[], T]) -> T:
    """What `work` gives, done once more with more room where it needs that."""
    try:
        return work()
    except RecursionError:
        return with_room(work)


def with_room(work: Callable[[], T]) -> T:
    """What `work` gives, done in a thread of its own that has room for deep recursion.

    Raises what `work` raises, and RecursionError where there is no such room to be had.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again, where it belongs
            errors.append(error)

    limit, size = sys.getrecursionlimit(), threading.stack_size()
    thread = threading.Thread(target=run, daemon=True)
    sys.setrecursionlimit(max(limit, _DEEPEST))
    try:
        threading.stack_size(_STACK)
        thread.start()
        thread.join()
    except (RuntimeError, ValueError):
        raise RecursionError("no room for a deeper stack") from None
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
    for error in errors:
        raise error
    return results[0]
