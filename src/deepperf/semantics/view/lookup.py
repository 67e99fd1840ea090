"""A lookup that a loop repeats index by index, as rules see it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from deepperf.semantics import view
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.vectorization import lookups
from deepperf.semantics.vectorization.lookups import Picking
from deepperf.semantics.view.spot import Spot

if TYPE_CHECKING:
    from deepperf.semantics.view import Call, Expression, Loop


class Lookup(Spot):
    """An expression that picks one part of an array in each iteration of a loop."""

    def __init__(self, analysis: Analysis, found: lookups.Lookup) -> None:
        self._analysis = analysis
        self._found = found
        self._node = found.node
        self._scope = found.scope

    @property
    def container(self) -> Expression:
        return view.Expression(self._analysis, self._found.container, self._scope)

    @property
    def loop(self) -> Loop:
        """The innermost loop that picks."""
        return view.Loop(self._analysis, self._found.loop)

    @property
    def picking(self) -> Picking:
        return self._found.picking

    @property
    def join(self) -> Call:
        """The call that makes one array of all that was picked."""
        return view.Call(self._analysis, self._found.join)

    @cached_property
    def framework(self) -> str:
        """The framework of the array; where only its use is known, of the join."""
        known = self._found.framework
        return known if known != "array" else self.join.framework
