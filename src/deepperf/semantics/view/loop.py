"""A loop as rules see it: how often it turns, and what its iterations do."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING

from deepperf.knowledge.schema import Trait
from deepperf.semantics import view
from deepperf.semantics.calls import reach
from deepperf.semantics.cost import other_work
from deepperf.semantics.execution import finalizing, graphs
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops, pace, passes, trip_bounds
from deepperf.semantics.loops.loops import LoopOver
from deepperf.semantics.loops.pace import Pace
from deepperf.semantics.names.scopes import Frame
from deepperf.semantics.text import positions
from deepperf.semantics.vectorization import choices
from deepperf.semantics.view.spot import Spot

if TYPE_CHECKING:
    from deepperf.semantics.view import Call, Expression

_TENS = 50


class Loop(Spot):
    """A `for` or `while` loop, or a comprehension."""

    def __init__(self, analysis: Analysis, frame: Frame) -> None:
        self._analysis = analysis
        self._frame = frame
        self._node = frame.node
        self._scope = frame.scope

    @property
    def is_comprehension(self) -> bool:
        return not isinstance(self._node, ast.stmt)

    @property
    def header(self) -> str:
        """The loop's first line as a reader would quote it: `for x in xs`."""
        return positions.loop_header(self._analysis.module_of(self._scope), self._frame)

    @property
    def turn(self) -> str:
        """How a message names an iteration of it: a call, where a framework or server has
        the loop.
        """
        is_called = self._node is self._scope.node
        return f"every {'call' if is_called else 'iteration'} of `{self.header}`"

    @cached_property
    def trips(self) -> int | None:
        """How often it turns at most, when the text tells."""
        found = loops.trips(self._analysis, self._frame)
        if found is None and self.over is LoopOver.ELEMENTS:
            lengths = [part.rows for part in self.goes_over]
            return min((length for length in lengths if length is not None), default=None)
        return found

    @property
    def is_tiny(self) -> bool:
        """Whether it is known to turn only a few times."""
        return self.trips is not None and self.trips <= loops.TINY

    @property
    def is_tiny_by_default(self) -> bool:
        """Whether it turns only a few times, as defaults and the calls in the project tell.

        How many epochs there are by default says little of how many a user asks for.
        """
        if self.over is LoopOver.EPOCHS:
            return False
        found = trip_bounds.trips_asked(self._analysis, self._frame)
        return found is not None and found <= loops.TINY

    @property
    def is_short(self) -> bool:
        """Whether it is known to turn some tens of times, in a script, where nothing repeats it."""
        is_once = self.function is None and not self.outer
        return is_once and self.trips is not None and self.trips <= _TENS

    @property
    def is_open(self) -> bool:
        """Whether it is a `while` loop: what its iterations are about may not be there before."""
        return isinstance(self._node, ast.While)

    @property
    def over(self) -> LoopOver:
        return passes.over(self._analysis, self._frame)

    @property
    def pace(self) -> Pace:
        """How often it turns: seldom, where each iteration does a great deal."""
        return pace.pace(self._analysis, self._frame)

    @property
    def outer(self) -> tuple[Loop, ...]:
        """The loops of the same function around it, outermost first."""
        return tuple(
            Loop(self._analysis, frame)
            for frame in self._scope.loops
            if self._frame in loops.loops_within(frame)
        )

    @property
    def goes_over(self) -> tuple[Expression, ...]:
        """What it goes over: several things at once where these are zipped."""
        return tuple(
            view.Expression(self._analysis, node, self._scope)
            for node in loops.gone_over(self._analysis, self._frame)
        )

    def calls(self) -> tuple[Call, ...]:
        """The calls in its body, in the loop's own function."""
        return tuple(
            view.Call(self._analysis, site) for site in loops.sites_in(self._analysis, self._frame)
        )

    @property
    def waits(self) -> bool:
        """Whether its iterations wait for a person, or for time to pass."""
        return other_work.waits(self._analysis, self._frame)

    @property
    def innermost(self) -> Loop:
        """The first loop within it that has no other, or itself."""
        inner = loops.loops_within(self._frame)
        return Loop(self._analysis, inner[0]).innermost if inner else self

    @property
    def runs_session(self) -> bool:
        """Whether its iterations run a session, in functions that they call too."""
        return graphs.loop_runs_session(self._analysis, self._frame)

    @property
    def could_share_a_graph(self) -> bool:
        """Whether its iterations make graphs themselves, of which one would do for all."""
        return graphs.turns_could_share(self._analysis, self._frame)

    @property
    def only_chooses(self) -> bool:
        """Whether its iterations do nothing but choose between formulas for an element."""
        return choices.choice_in(self._analysis, self._frame) is not None

    @property
    def builds_model(self) -> bool:
        """Whether its iterations make variables: they build a model then, part by part."""
        return graphs.loop_builds_model(self._analysis, self._frame)

    @property
    def feeds_model(self) -> bool:
        """Whether each iteration itself feeds nodes that were there before."""
        return graphs.loop_feeds_model(self._analysis, self._frame)

    @property
    def starts_graph(self) -> bool:
        """Whether each iteration makes a graph of its own, or empties the default one."""
        return graphs.loop_starts_graph(self._analysis, self._frame)

    @property
    def turns_closed_graph(self) -> bool:
        """Whether a graph is finalized on the way to it: what adds nodes in it never runs."""
        return finalizing.is_closed_before(self._analysis, self._frame)

    def reached_calls(self, traits: frozenset[Trait]) -> tuple[Call, ...]:
        """The calls with one of `traits` that its iterations run, in functions it calls too."""
        return tuple(
            view.Call(self._analysis, site)
            for site in reach.reached_sites(self._analysis, self._frame, traits)
        )
