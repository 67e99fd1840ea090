"""Which work, once it is told of, tells of other work, too: that is mended with it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import regions
from deepperf.semantics.names.scopes import CallSite, Scope, ScopeKind
from deepperf.semantics.repetition import operations
from deepperf.semantics.repetition.inner_work import Inner
from deepperf.semantics.text import tree

_Way: TypeAlias = "tuple[CallSite, ...]"
Place: TypeAlias = "Scope | ast.stmt | tuple[ast.AST, _Way] | tuple[ast.AST, _Way, int]"


def tells_of(analysis: Analysis, inner: Inner) -> set[Place]:
    """The places by which other work is told with this one."""
    operation, way = inner.operation, inner.way
    found: set[Place] = {operation.scope, operation.statement, (operation.statement, way)}
    found |= _by_the_same_call(analysis, inner)
    if not is_product(inner):
        return found | {(operation.node, way)}
    weight = operations.weight(analysis, operation)
    for call in _factors(analysis, operation):
        found |= {(call, way, less) for less in range(weight + 1)}
    return found


def told_with(analysis: Analysis, inner: Inner) -> set[Place]:
    """What, once told, tells of this work: it leads there, stands beside it, or multiplies it."""
    operation, way = inner.operation, inner.way
    found: set[Place] = {place.statement for place in way}
    # What multiplies the result of what takes long is mended with that.
    if is_product(inner):
        found |= {(call, way) for call in _feeding(analysis, operation)}
    if operations.is_costly(analysis, operation):
        # Two ways to what takes long are two things to mend.
        return found | {(operation.statement, way)}
    weight = operations.weight(analysis, operation)
    if not operations.is_costly_in_numpy(analysis, operation):
        found |= {(place.node, way[:number], weight) for number, place in enumerate(way)}
    found |= {operation.statement, operation.scope}
    return found | _by_the_same_call(analysis, inner)


def is_product(inner: Inner) -> bool:
    """Whether it multiplies matrices by an operator."""
    return isinstance(tree.written(inner.operation.node), ast.BinOp)


def _by_the_same_call(analysis: Analysis, inner: Inner) -> set[Place]:
    """What tells of all short work by way of a call: one that is moved takes all along."""
    if not inner.way or operations.is_more_than_a_pass(analysis, inner.operation):
        return set()
    return {(inner.way[0].statement, ())}


def _factors(analysis: Analysis, product: CallSite) -> Iterator[ast.Call]:
    """The calls in its function that give, perhaps by a name, what a product multiplies."""
    bound = _bound(analysis, product)
    pending: list[ast.expr] = [tree.written(product.node)]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.BinOp):
            pending += [part.left, part.right]
            continue
        value = bound.get(part.id) if isinstance(part, ast.Name) else part
        if isinstance(value, ast.Call):
            yield value


def _feeding(analysis: Analysis, operation: CallSite) -> Iterator[ast.Call]:
    """The calls in its function by which all is made that an operation is given."""
    bound = _bound(analysis, operation)
    pending: list[ast.AST] = list(tree.operands(operation.node))
    followed: set[str] = set()
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Call):
            yield part
        if isinstance(part, ast.Name) and part.id not in followed:
            followed.add(part.id)
            value = bound.get(part.id)
            pending += [] if value is None else [value]
        pending += tree.children(part)


def _bound(analysis: Analysis, site: CallSite) -> dict[str, ast.expr | None]:
    if site.scope.kind is not ScopeKind.FUNCTION:
        return {}
    return regions.region_of_function(analysis, site.scope).bound
