"""Stretches of arrays that turns of a loop set or copy, each between places of its own."""

from __future__ import annotations

import ast

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import induction
from deepperf.semantics.loops.induction import Turning, Way
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import Frame
from deepperf.semantics.text import tree
from deepperf.semantics.values import arrays


def copies_stretch(analysis: Analysis, value: ast.expr, loops: tuple[Frame, ...]) -> bool:
    """Whether what a turn sets is what lies, in another array, between places of its own.

    Such a window or block has to be copied in any case.
    """
    turns = induction.turning(loops[-1].scope, loops)
    return _is_stretch(analysis, _given(analysis, value, turns), turns)


def fills_beside(analysis: Analysis, node: ast.AST, loop: Frame) -> bool:
    """Whether turns, besides a statement, fill as much of a row as each of them has numbers for.

    Rows that do not come out of one array are of unlike lengths, and have to be written by turns.
    """
    turns = induction.turning(loop.scope, (loop,))
    return any(
        isinstance(other, ast.Assign)
        and other is not node
        and _is_stretch(analysis, other.targets[0], turns)
        and _is_row(analysis, _given(analysis, other.value, turns), turns)
        for other in tree.walk(loop.node)
    )


def _is_row(analysis: Analysis, value: ast.expr, turns: Turning) -> bool:
    """Whether a turn has it of its own, and not as a part of an array that all have."""
    if induction.way(analysis, value, turns) is Way.FIXED:
        return False
    if not isinstance(value, ast.Subscript):
        return True
    whole = tree.container_of(value)
    is_shared = induction.way(analysis, whole, turns) is Way.FIXED
    has_axes = any(isinstance(index, ast.Slice) for index in tree.indices_of(value))
    return not (is_shared and (has_axes or arrays.is_array(analysis, whole, turns.scope)))


def _is_stretch(analysis: Analysis, node: ast.expr, turns: Turning) -> bool:
    """Whether it is what lies between places of the turn's own in an array."""
    return isinstance(node, ast.Subscript) and any(
        induction.way(analysis, bound, turns) is not Way.FIXED
        for index in tree.indices_of(node)
        if isinstance(index, ast.Slice)
        for bound in (index.lower, index.upper)
        if bound is not None
    )


def _given(analysis: Analysis, value: ast.expr, turns: Turning) -> ast.expr:
    """What the turn gave the name that a value is."""
    if isinstance(value, ast.Name):
        inner = induction.inner_definitions(analysis, value, turns)
        if len(inner) == 1 and inner[0].binding is Binding.ASSIGNED and not inner[0].unpacking:
            return inner[0].value or value
    return value
