"""Calls that make compiled functions compile again, as rules see them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from deepperf.semantics import view
from deepperf.semantics.execution import retracing
from deepperf.semantics.execution.retracing import Anew
from deepperf.semantics.text import positions
from deepperf.semantics.view.file import FileView

__all__ = ["Anew", "Retracing", "retracings"]


class Retracing(Struct, frozen=True):
    """A call of a compiled function whose argument is new in most turns of a loop."""

    call: view.Call
    path: view.LoopPath
    _found: retracing.Retrace

    @property
    def framework(self) -> str:
        return self._found.compiled.fact.framework

    @property
    def anew(self) -> Anew:
        return self._found.anew

    @property
    def argument(self) -> str:
        """What the call passes, on one line, shortened."""
        call = self.call
        found = view.Expression(call._analysis, self._found.argument, call._scope)
        return positions.shortened(found.text)

    @property
    def parameter(self) -> str:
        """The parameter that gets it, by its name, or its place where that is not known."""
        return self._found.parameter

    @property
    def picks_by_it(self) -> bool:
        """Whether the function picks something from a list with it."""
        return retracing.picks_by(self._found)


def retracings(file: FileView) -> Iterator[Retracing]:
    """The calls of a file that have a function traced or compiled again, turn after turn."""
    for found in retracing.retraces(file._analysis, file.path):
        way = tuple(view.Call(file._analysis, site) for site in found.way)
        path = view.LoopPath(view.Loop(file._analysis, found.loop), way)
        yield Retracing(view.Call(file._analysis, found.site), path, found)
