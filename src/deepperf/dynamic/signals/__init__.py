"""What is looked for in a run: a file for each signal, with a way to watch and one to diagnose.

A signal is a module with `NAME`, `RULES`, the names of the static rules for the smells that it
sees, `watch(tape)`, called in the user's process before its program runs, and `diagnose(trace)`,
called afterwards, anywhere. Where it sees no rule's smell, it has `SYMPTOMS`, the ids of those by
which it is known; where what it tells is why memory grows, `EXPLAINS_GROWTH`; `SHARED` are kinds
of notes of which it wants to know those of all processes. `BY_LOOKS` is set where it notes what is
seen at some of the looks at a running program: how often that is, is left to chance.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from deepperf.dynamic.diagnosis import Diagnosis
    from deepperf.dynamic.recording.tape import Tape
    from deepperf.dynamic.recording.trace import Trace


class Signal(Protocol):
    """What every module beside this one is."""

    NAME: str
    RULES: tuple[str, ...]

    def watch(self, tape: Tape) -> None:
        """Have the tape told of what happens; must not import a framework."""

    def diagnose(self, trace: Trace) -> Iterable[Diagnosis]:
        """What the trace shows of this signal."""


def kinds_by_looks() -> frozenset[str]:
    """The kinds of notes of which there are as many as looks at a run happened to show."""
    return frozenset(one.NAME for one in signals() if getattr(one, "BY_LOOKS", False))


def shared_kinds() -> frozenset[str]:
    """The kinds of notes that a process is told of by all others."""
    return frozenset(kind for one in signals() for kind in getattr(one, "SHARED", ()))


def signals() -> tuple[Signal, ...]:
    """All signals, by name."""
    names = sorted(found.name for found in pkgutil.iter_modules(__path__))
    return tuple(cast(Signal, importlib.import_module(f"{__name__}.{name}")) for name in names)
