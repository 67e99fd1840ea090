"""Loops of eager operations, as rules see them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from deepperf.semantics import view
from deepperf.semantics.calls import callgraph
from deepperf.semantics.execution import compilable, dispatching
from deepperf.semantics.execution.dispatching import Step
from deepperf.semantics.loops import growing, loops
from deepperf.semantics.text import tree
from deepperf.semantics.view.file import FileView

__all__ = ["EagerLoop", "Step", "eager_loops", "eager_samplings"]


class EagerLoop(Struct, frozen=True):
    """A loop whose iterations run operations one by one; `step` is the function that does
    the work.
    """

    loop: view.Loop
    kind: Step
    framework: str
    count: int
    step: view.Function | None

    @property
    def asks_for_numbers(self) -> bool:
        """Whether its steps ask tensors for numbers, which compiled ones cannot."""
        step = self.step._own if self.step is not None else None
        return compilable.asks_for_numbers(self.loop._analysis, self.loop._frame, step)

    @property
    def works_on_more_each_turn(self) -> bool:
        """Whether its step is given longer arrays in each iteration: compiled, it is
        traced anew.
        """
        analysis, frame = self.loop._analysis, self.loop._frame
        own = self.step._own if self.step is not None else None
        return any(
            growing.grows(analysis, argument, site.scope, frame)
            for site in loops.sites_in(analysis, frame)
            if any(target.function is own for target in callgraph.targets(analysis, site))
            for argument in tree.arguments(site.node)
        )


def eager_loops(file: FileView) -> Iterator[EagerLoop]:
    """The loops of a file whose iterations are worth compiling and are not compiled."""
    for found in dispatching.dispatches(file._analysis, file.path):
        step = None if found.step is None else view.Function(file._analysis, found.step)
        loop = view.Loop(file._analysis, found.loop)
        yield EagerLoop(loop, found.kind, found.framework, found.count, step)


def eager_samplings(file: FileView) -> Iterator[view.Call]:
    """The calls of samplers that turn their loop in Python."""
    for site in dispatching.samplings(file._analysis, file.path):
        yield view.Call(file._analysis, site)
