"""Work that a loop repeats, as rules see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from deepperf.records import Step
from deepperf.semantics.execution import eagerness
from deepperf.semantics.repetition import filled_arrays, repetition
from deepperf.semantics.text import tree

if TYPE_CHECKING:
    from deepperf.semantics.view import Call, Loop


class RepeatedWork(Struct, frozen=True):
    """An operation that a loop repeats: `call` stands in the loop and leads to it.

    `calls` are the further calls on the way. Where `call` itself contains the operation,
    its value stays the same as a whole and `calls` is empty; else `given` is, as text, what it
    gives that the operation needs.
    """

    loop: Loop
    call: Call
    calls: tuple[Call, ...]
    operation: Call
    kept_by_module: bool = False
    given: frozenset[str] = frozenset()

    @property
    def is_inside(self) -> bool:
        """Whether the operation stands in a function that the call runs."""
        own = tree.walk(self.call._site.node)
        return not any(part is self.operation._site.node for part in own)

    @property
    def stays_whole(self) -> bool:
        """Whether the call gives the same in each turn, and no turn needs a result of its own."""
        return repetition.stays_whole(self.loop._analysis, self.loop._frame, self.call._site)

    @property
    def filled(self) -> str:
        """The name of the array that Python fills item by item; "" where an operation repeats."""
        made = filled_arrays.filled(self.loop._analysis, self.operation._site)
        return "" if made is None else made.id

    @property
    def framework(self) -> str:
        """The framework of the operation."""
        return self.operation.framework

    @property
    def is_unrolled(self) -> bool:
        """Whether the loop, or a function on the way, runs only while a framework traces it."""
        analysis = self.loop._analysis
        scopes = {c._site.scope for c in (self.call, *self.calls, self.operation)}
        return any(
            eagerness.is_traced_once(analysis, scope) for scope in scopes
        ) and not eagerness.turns_in_the_graph(analysis, self.loop._frame)

    @property
    def is_run_each_turn(self) -> bool:
        """Whether each turn is known to run the operation, in Python or inside a graph."""
        analysis = self.loop._analysis
        fact = self.operation.fact
        if fact is None or fact.framework in ("torch", "numpy"):
            return True
        if fact.framework == "jax":
            # What a tracer puts in place of arrays cannot decide how long a loop goes on.
            if self.loop.is_open:
                return True
        else:
            paths = {self.operation.file.path, self.loop.file.path}
            if not self.loop.file.reaches("tensorflow", "2.0") or any(
                eagerness.builds_graphs(analysis, path) for path in paths
            ):
                return False
            if eagerness.turns_in_the_graph(analysis, self.loop._frame):
                return True
        return eagerness.turns_on_the_host(analysis, self.loop._frame)

    def steps(self) -> tuple[Step, ...]:
        """The path for a finding: the loop first, then each call on the way."""
        if not self.is_inside:
            return ()
        on_the_way = (self.call, *self.calls)
        first = Step(self.loop.location, f"called in {self.loop.turn}")
        last = Step(self.operation.location, f"`{self.operation.called}` is computed again")
        return (
            first,
            *(Step(c.location, f"through `{c.called}`") for c in on_the_way),
            last,
        )
