"""Each package once more where another try may end otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from deepperf.scan.package import Package, Scanned, State

TRIES = 2
# Limits on CPU time and memory are met again; what killed a process may be gone.
_WORTH_ANOTHER = frozenset({State.KILLED, State.LOST})


def tried(package: Package, attempt: Callable[[Package], Scanned]) -> Scanned:
    """What the package gives, of the last of at most `TRIES` attempts."""
    result = attempt(package)
    number = 1
    while result.state in _WORTH_ANOTHER and number < TRIES:
        result = attempt(package)
        number += 1
    return replace(result, spent=replace(result.spent, tries=number))
