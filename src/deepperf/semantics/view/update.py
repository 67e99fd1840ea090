"""Loops that fill arrays place by place, as rules see them."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING

from deepperf.semantics import view
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.text import positions
from deepperf.semantics.vectorization import choices, updates
from deepperf.semantics.vectorization.array_writes import Setting
from deepperf.semantics.view.spot import Spot

if TYPE_CHECKING:
    from deepperf.semantics.view import Expression, Loop


class Update(Spot):
    """A statement or call that sets one place of an array in every iteration of a loop."""

    def __init__(self, analysis: Analysis, found: updates.Update) -> None:
        self._analysis = analysis
        self._found = found
        self._node: ast.AST = found.node
        self._scope = found.scope

    @property
    def container(self) -> Expression:
        return view.Expression(self._analysis, self._found.container, self._scope)

    @property
    def loops(self) -> tuple[Loop, ...]:
        """The loops through which the array stays the same, outermost first."""
        return tuple(view.Loop(self._analysis, loop) for loop in self._found.loops)

    @property
    def turns(self) -> str:
        """What does it again and again, in words: an iteration of a loop, or a call by a map."""
        mapping = self._found.mapping
        if mapping is not None:
            return f"every call by `{view.Call(self._analysis, mapping).called}`"
        return f"every iteration of `{self.loops[-1].header}`"

    @property
    def setting(self) -> Setting:
        return self._found.setting

    @property
    def copies(self) -> bool:
        """Whether it makes a new array each time."""
        return self._found.copies

    @property
    def is_table(self) -> bool:
        """Whether places and values follow from counters alone."""
        return self._found.is_table

    @property
    def written(self) -> str:
        """The place or call as a reader would quote it."""
        node = self._node
        if isinstance(node, ast.Assign):
            node = node.targets[0]
        elif isinstance(node, ast.AugAssign):
            node = node.target
        module = self._analysis.module_of(self._scope)
        start, end = positions.span_of(module, node)
        return positions.shortened(" ".join(module.source.text[start:end].split()))

    @cached_property
    def framework(self) -> str:
        return self._found.framework


class Choice(Spot):
    """A loop that does nothing but choose between formulas for each element."""

    def __init__(self, analysis: Analysis, found: choices.Choice) -> None:
        self._analysis = analysis
        self._found = found
        self._node: ast.AST = found.loop.node
        self._scope = found.loop.scope

    @property
    def loop(self) -> Loop:
        return view.Loop(self._analysis, self._found.loop)

    @property
    def test(self) -> Expression:
        """One of the conditions."""
        return view.Expression(self._analysis, self._found.test, self._scope)

    @cached_property
    def framework(self) -> str:
        """Whose array it is; `array` where only its use tells that it is one."""
        return self._found.framework
