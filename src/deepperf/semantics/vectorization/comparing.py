"""Whether slices are compared two by two, or one with all of an array."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, last_name
from deepperf.semantics.sizes import array_shapes, numbers
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
    """Whether a call compares what a loop's iteration is about with what one around it is about.

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


def outgrows(analysis: Analysis, site: CallSite, loop: Frame) -> bool:
    """Whether it reduces what a slice makes with a whole array that has more axes than the slice.

    For all iterations at once that takes an array as large as the whole one times their number.
    """
    return _is_reduced(analysis, site, loop) and any(
        _is_wider(analysis, whole, own, site.scope, loop)
        for part in _arithmetic(analysis, site, loop)
        for whole, own in ((part.left, part.right), (part.right, part.left))
        if _is_whole(analysis, whole, site.scope, loop)
    )


def _reduces(analysis: Analysis, site: CallSite) -> bool:
    fact = callgraph.fact_at(analysis, site) or arrays.method_fact(analysis, site)
    return has(fact, Trait.REDUCES)


def _is_reduced(analysis: Analysis, site: CallSite, loop: Frame) -> bool:
    """Whether a call reduces, or what it gives goes into one that does."""
    return any(
        other is site
        or any(
            part is site.node
            for whole in _behind(analysis, tree.operands(other.node), other.scope, loop)
            for part in tree.walk(whole)
        )
        for other in loops.sites_in(analysis, loop)
        if _reduces(analysis, other)
    )


def _is_wider(
    analysis: Analysis, whole: ast.expr, own: ast.expr, scope: Scope, loop: Frame
) -> bool:
    """Whether an array is known to have more axes than what an iteration takes of another."""
    kind = taken(analysis, own, scope, loop)
    if kind is Taken.COUNTER or numbers.is_number(analysis, own, scope):
        return kind is not Taken.FIXED
    if kind is not Taken.SLICE:
        return False
    source = _sliced(analysis, own, loop)
    if source is not None and ast.dump(source) == ast.dump(whole):
        return True
    shape, axes = array_shapes.array_shape(analysis, whole, scope), _axes(analysis, own, scope)
    return shape is not None and axes is not None and len(shape) > axes


def _axes(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    """How many axes an array has; an index that is no slice takes one from those of the whole."""
    shape = array_shapes.array_shape(analysis, node, scope)
    if shape is not None or not isinstance(node, ast.Subscript):
        return None if shape is None else len(shape)
    whole = array_shapes.array_shape(analysis, node.value, scope)
    indices = tree.indices_of(node)
    if whole is None or any(isinstance(one, ast.Constant) for one in indices):
        return None
    return len(whole) - sum(not isinstance(one, ast.Slice) for one in indices)


def _sliced(analysis: Analysis, own: ast.expr, loop: Frame) -> ast.expr | None:
    """The array whose rows an expression picks: `x` of `x[i]`, and of `row` of `for row in x`."""
    if isinstance(own, ast.Subscript):
        return own.value
    if isinstance(own, ast.Name) and own.id in loops.targets(loop):
        whole = loops.gone_over(analysis, loop)
        return whole[0] if len(whole) == 1 else None
    return None


def _compares_with_all(analysis: Analysis, site: CallSite, loop: Frame) -> bool:
    """Whether it reduces, along an axis, the difference of the iteration's slice to a whole array.

    It may be given both instead, where the slice gets an axis for the rows of the array.
    """
    if any(isinstance(part.op, ast.Sub) for part in _with_whole(analysis, site, loop)):
        return True
    given = tree.arguments(site.node)[:2]
    return len(given) > 1 and any(
        _gets_axis(one) and _is_whole(analysis, other, site.scope, loop)
        for one, other in (given, given[::-1])
    )


def _gets_axis(node: ast.expr) -> bool:
    if isinstance(node, ast.Subscript):
        return any(getattr(one, "value", 0) is None for one in tree.indices_of(node))
    return isinstance(node, ast.Call) and last_name(node.func) in members.AXIS_ADDITIONS


def _with_whole(analysis: Analysis, site: CallSite, loop: Frame) -> Iterator[ast.BinOp]:
    """The arithmetic between a slice and a whole array that goes into a reduction by an axis."""
    if any(keyword.arg in ("axis", "dim") for keyword in site.node.keywords):
        for part in _arithmetic(analysis, site, loop):
            if any(_is_whole(analysis, one, site.scope, loop) for one in (part.left, part.right)):
                yield part


def _arithmetic(analysis: Analysis, site: CallSite, loop: Frame) -> Iterator[ast.BinOp]:
    """The arithmetic whose results go into a call."""
    for whole in _behind(analysis, tree.operands(site.node), site.scope, loop):
        yield from (part for part in tree.walk(whole) if isinstance(part, ast.BinOp))


def _is_whole(analysis: Analysis, node: ast.expr, scope: Scope, loop: Frame) -> bool:
    """Whether it is an array, and the same in each iteration."""
    kind = taken(analysis, node, scope, loop)
    return kind is Taken.FIXED and arrays.is_array(analysis, node, scope)


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
