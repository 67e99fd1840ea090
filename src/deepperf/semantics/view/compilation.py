"""Where functions are compiled, as rules see it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from deepperf.semantics import view
from deepperf.semantics.execution import compiling, makings, soon_compiled
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import intervals
from deepperf.semantics.text import positions
from deepperf.semantics.view.spot import Spot

if TYPE_CHECKING:
    from deepperf.semantics.view import LoopPath, RequestPath


class Compilation(Spot):
    """A call or decorator that compiles or traces a function."""

    def __init__(self, analysis: Analysis, made: makings.Making) -> None:
        self._analysis = analysis
        self._made = made
        self._node = made.node
        self._scope = made.site.scope

    @property
    def compiler(self) -> str:
        """The compiler as the user wrote it, a decorator with its `@`."""
        node = self._made.node
        if self._made.decorated is None and isinstance(node, ast.Call):
            node = node.func
        while isinstance(node, ast.Call):
            node = node.args[0] if node.args else node.func
        text = view.Expression(self._analysis, node, self._scope).text
        return f"@{text}" if self._made.decorated is not None else text

    @property
    def compiled(self) -> str:
        """What is compiled, as the user wrote it, on one line, shortened."""
        if self._made.decorated is not None:
            return self._made.decorated.name
        text = view.Expression(self._analysis, self._made.function, self._scope).text
        return positions.shortened(text)

    @property
    def compiled_span(self) -> tuple[int, int]:
        """The characters of what is compiled, in its file's text."""
        module = self._analysis.module_of(self._made.site.scope)
        return positions.span_of(module, self._made.function)

    @property
    def framework(self) -> str:
        return self._made.fact.framework

    @property
    def runs_at_once(self) -> bool:
        """Whether the call runs what it compiles, where no compiled function is around it."""
        return self._made.runs_at_once

    @property
    def is_of_one_operation(self) -> bool:
        """Whether it is a `lambda` of a single operation, which is soon compiled."""
        return soon_compiled.is_of_one_operation(self._analysis, self._made)

    @property
    def only_moves(self) -> bool:
        """Whether it is a `lambda` that changes nothing but where an array is."""
        return soon_compiled.only_moves(self._analysis, self._made)

    def repeats(self) -> Iterator[RepeatedCompilation]:
        """The loops and request handlers that compile the same again, in vain, nearest first."""
        for found in compiling.again(self._analysis, self._made):
            calls = tuple(view.Call(self._analysis, site) for site in found.way)
            path: LoopPath | RequestPath
            if found.loop is not None:
                path = view.LoopPath(view.Loop(self._analysis, found.loop), calls)
            else:
                assert found.handler is not None
                path = view.RequestPath(view.Function(self._analysis, found.handler), calls)
            yield RepeatedCompilation(path, found.inputs, found.is_long)

    def is_each_nth_turn_of(self, path: LoopPath) -> bool:
        """Whether the path's loop compiles in few iterations, or after very many, as it counts
        them.
        """
        way = (*(call._site for call in path.calls), self._made.site)
        loop = path.loop._frame
        return intervals.is_each_nth_turn(
            self._analysis, way[0], loop, path.loop.trips
        ) or intervals.is_after_long(self._analysis, way, loop)

    @property
    def serves_one_call(self) -> bool:
        """Whether a public method makes it, of which no caller is known, and calls it once."""
        return compiling.serves_one_call(self._analysis, self._made)


class RepeatedCompilation(Struct, frozen=True):
    """A loop or request handler that repeats a compilation.

    `inputs` are the names of data, different each time, that are built into the function.
    `is_long` where an iteration may call what it compiled many times.
    """

    path: LoopPath | RequestPath
    inputs: tuple[str, ...]
    is_long: bool
