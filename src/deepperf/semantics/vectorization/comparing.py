"""Whether slices are compared two by two, or one with all of an array."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import CallSite, Frame, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import arrays, values
from deepperf.semantics.vectorization.slices import Taken, taken


def compares(analysis: Analysis, site: CallSite, loop: Frame) -> bool:
    """Whether a call compares what loops are about, two by two, or one with all of an array."""
    return _compares_with_all(analysis, site, loop) or any(
        _compares_pairs(analysis, site, loop, outer)
        for outer in site.frames
        if outer.is_loop and outer is not loop
    )


def _compares_pairs(analysis: Analysis, site: CallSite, loop: Frame, outer: Frame) -> bool:
    """Whether a call compares what a loop's turn is about with what one around it is about.

    It is given both, one by one, or the difference between them.
    """
    given = tree.operands(site.node)

    def are_both(first: ast.expr, second: ast.expr) -> bool:
        pair = [_names_behind(_behind(analysis, [n], site.scope, outer)) for n in (first, second)]
        turns = [loops.targets(loop), loops.targets(outer)]
        return any(
            not turns[0].isdisjoint(one) and not turns[1].isdisjoint(other)
            for one, other in (pair, reversed(pair))
        )

    if any(are_both(one, other) for one, other in itertools.combinations(given, 2)):
        return True
    return any(
        isinstance(part, ast.BinOp)
        and isinstance(part.op, ast.Sub)
        and are_both(part.left, part.right)
        for whole in _behind(analysis, given, site.scope, outer)
        for part in tree.walk(whole)
    )


def works_on_all(analysis: Analysis, site: CallSite, loop: Frame) -> bool:
    """Whether it reduces, along an axis, what arithmetic makes of the slice and a whole array.

    Then each turn is as large as that array, and all turns at once would be larger by an axis.
    """
    return any(_with_whole(analysis, site, loop))


def _compares_with_all(analysis: Analysis, site: CallSite, loop: Frame) -> bool:
    """Whether it reduces, along an axis, the difference of the turn's slice to a whole array."""
    return any(isinstance(part.op, ast.Sub) for part in _with_whole(analysis, site, loop))


def _with_whole(analysis: Analysis, site: CallSite, loop: Frame) -> Iterator[ast.BinOp]:
    """The arithmetic between a slice and a whole array that goes into a reduction by an axis."""
    if not any(keyword.arg in ("axis", "dim") for keyword in site.node.keywords):
        return

    def is_whole(node: ast.expr) -> bool:
        kind = taken(analysis, node, site.scope, loop)
        return kind is Taken.FIXED and arrays.is_array(analysis, node, site.scope)

    for whole in _behind(analysis, tree.arguments(site.node), site.scope, loop):
        for part in tree.walk(whole):
            if isinstance(part, ast.BinOp) and any(map(is_whole, (part.left, part.right))):
                yield part


def _behind(analysis: Analysis, nodes: list[ast.expr], scope: Scope, loop: Frame) -> list[ast.AST]:
    """Expressions, and those that the loop's body assigns to the names in them."""
    found: dict[str, None] = {}
    pending: list[ast.AST] = list(nodes)
    for whole in pending:
        for part in tree.walk(whole):
            if isinstance(part, ast.Name) and part.id not in found:
                found[part.id] = None
                pending.extend(
                    definition.value
                    for definition in values.definitions_of(analysis, part, scope)
                    if definition.value is not None
                    and definition.binding is Binding.ASSIGNED
                    and id(loop.node) in definition.loops
                )
    return pending


def _names_behind(nodes: list[ast.AST]) -> frozenset[str]:
    return frozenset(
        part.id for whole in nodes for part in tree.walk(whole) if isinstance(part, ast.Name)
    )
