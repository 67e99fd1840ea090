"""How a loop or a request handler leads to a place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from deepperf.knowledge.schema import Trait
from deepperf.records import Role, Step
from deepperf.semantics.loops import intervals, once, put_aside
from deepperf.semantics.loops.loops import LoopOver
from deepperf.semantics.loops.pace import Pace

if TYPE_CHECKING:
    from deepperf.semantics.view import Call, Function, Loop

_NUMBERED = (LoopOver.EPOCHS, LoopOver.STEPS)
_LASTING = 1000
"""Turns by which a graph has grown for good, whatever else each of them does."""


class LoopPath(Struct, frozen=True):
    """A loop, and the calls that lead from its body to the place asked about.

    `calls` is empty when the place stands in the loop itself.
    """

    loop: Loop
    calls: tuple[Call, ...]

    def steps(self) -> tuple[Step, ...]:
        """The path for a finding: the loop first, then each call on the way."""
        if not self.calls:
            return ()
        first = Step(self.loop.location, f"called in {self.loop.turn}")
        return (first, *(Step(c.location, f"through `{c.called}`") for c in self.calls))

    @property
    def is_of_tests(self) -> bool:
        """Whether the loop stands in a test, or comes to the place by what a test hands over."""
        return any(one.file.role is Role.TEST for one in (self.loop, *self.calls))

    def starts_graph_for(self, call: Call) -> bool:
        """Whether each iteration that gets to a call makes a graph of its own on the way.

        Who hands a function to a pool calls it, but where it is handed over it is not seen.
        """
        # What stands in the loop itself is in a function that goes on from iteration to iteration.
        way = {one.function for one in (call, *self.calls[1:])} if self.calls else set()
        return self.loop.starts_graph or any(one is not None and one.starts_graph for one in way)

    def runs_session_for(self, call: Call) -> bool:
        """Whether its iterations run a session: what runs a call's nodes beside making them is one.

        It need not be found from the loop on, where that is found from the call: no function on
        the way has a graph of its own then.
        """
        if self.loop.runs_session:
            return True
        # What stands in the loop itself is in a function that goes on from iteration to iteration.
        way = {one.function for one in (call, *self.calls[1:])} if self.calls else set()
        return call.is_run_at_once and not any(one is None or one.starts_graph for one in way)

    @property
    def keeps_objects(self) -> bool:
        """Whether it leads into an object that each iteration makes and puts aside."""
        first = self.calls[0] if self.calls else None
        way = tuple(call._site for call in self.calls)
        return first is not None and put_aside.makes_objects(first._analysis, self.loop._frame, way)

    def adds_slowly(self, call: Call) -> bool:
        """Whether turns that make nodes by a call are few, or few beside all else they do.

        Of epochs, or of checkpoints, there may be hundreds yet, which is felt of nodes for each
        variable, and of nodes that hold all that a model predicts.
        """
        loop = self.loop
        # An iteration that makes variables of its own has to initialize them.
        is_first = call.has(Trait.STARTS_OVER) and loop.builds_model
        is_much = call.has(Trait.ADDS_MANY_NODES)
        adds_much = loop.over in _NUMBERED and is_much
        is_seldom = loop.pace is Pace.SELDOM and (loop.trips or 0) < _LASTING
        is_slow = not adds_much and (is_seldom or self.runs_each_nth_turn(call))
        is_rare = not is_much and (self.runs_after_minutes(call) or self._sets_after_tens(call))
        return is_first or is_slow or is_rare or loop.is_short

    def _sets_after_tens(self, call: Call) -> bool:
        """Whether it sets one variable, such as a rate, after some tens of steps each time."""
        way, loop = tuple(one._site for one in (*self.calls, call)), self.loop._frame
        is_one = call.has(Trait.WRITES_STATE) and not intervals.is_in_loop(way, loop)
        return is_one and intervals.is_after_tens(call._analysis, way, loop)

    def runs_after_minutes(self, call: Call) -> bool:
        """Whether a condition on the way to a call holds once in thousands of steps."""
        way, loop = tuple(one._site for one in (*self.calls, call)), self.loop._frame
        # What is made for each variable of a model is many at once.
        is_one = not intervals.is_in_loop(way, loop)
        return is_one and intervals.is_after_minutes(call._analysis, way, loop)

    def is_for_one_turn(self, call: Call) -> bool:
        """Whether, within an iteration, an `if` asks for one certain number on the way to
        a call.
        """
        first, *others = (*self.calls, call)
        frames, loop = first._site.frames, self.loop._frame
        inside = frames[frames.index(loop) + 1 :] if loop in frames else frames
        return once.is_for_one_turn(inside) or any(one.is_for_one_turn for one in others)

    def runs_each_nth_turn(self, call: Call) -> bool:
        """Whether the loop leads to a call in each n-th turn, as it counts them: in few."""
        first = (*self.calls, call)[0]
        return intervals.is_each_nth_turn(
            first._analysis, first._site, self.loop._frame, self.loop.trips
        )


class RequestPath(Struct, frozen=True):
    """A request handler, and the calls that lead from it to the place asked about."""

    handler: Function
    calls: tuple[Call, ...]

    def steps(self) -> tuple[Step, ...]:
        """The path for a finding: the handler first, then each call on the way."""
        if not self.calls:
            return ()
        first = Step(self.handler.location, f"called for each request to `{self.handler.name}`")
        return (first, *(Step(c.location, f"through `{c.called}`") for c in self.calls))
