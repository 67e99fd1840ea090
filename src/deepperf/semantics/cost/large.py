"""Whether what a loop repeats is surely large, or has the host wait for the device.

The sizes of operands are mostly not known. What is known is how the time of an operation grows
with them, and sometimes that it goes over a table with a side for each of two lengths.
"""

from __future__ import annotations

import ast
import math

from deepperf.knowledge import members
from deepperf.knowledge.schema import ParameterRole, Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.cost import pair_tables, partly_used, whole_calls
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Frame, Scope
from deepperf.semantics.repetition import operations
from deepperf.semantics.repetition.repetition import Repeated
from deepperf.semantics.sizes import array_shapes
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Instance

_TRANSPOSING = members.AXIS_SWAPS | members.PERMUTATIONS | {"T", "mT", "t"}
MANY = 100_000
"""Numbers over which one pass takes tens of microseconds."""


def is_surely_large(analysis: Analysis, loop: Frame, work: Repeated) -> bool:
    """Whether what is repeated takes long, whatever its operands are, or is known to be of many."""
    operation = work.operation
    fact = callgraph.fact_at(analysis, operation)
    # Of each batch, all data: the more there are, the more often it is done.
    if has(fact, Trait.REDUCES) and partly_used.is_of_whole(analysis, loop, operation):
        return True
    if whole_calls.is_whole(analysis, loop, work):
        return any(_is_large(analysis, one) for one in operation.scope.calls)
    return _is_large(analysis, operation)


def _is_large(analysis: Analysis, site: CallSite) -> bool:
    whole = tree.written(site.node)
    if isinstance(whole, ast.BinOp):
        return isinstance(whole.op, ast.MatMult) and _is_gram([whole.left, whole.right])
    if operations.is_work_of_its_own(analysis, site) or pair_tables.goes_over_pairs(site):
        return True
    fact = callgraph.fact_at(analysis, site)
    if fact is None:
        return False
    is_product = {Trait.COSTLY, Trait.BATCHED} <= fact.traits
    if is_product and _is_gram(_arrays(analysis, site)):
        return True
    # Solvers and decompositions of frameworks have the host wait for the device besides.
    if Trait.CUBIC in fact.traits or (Trait.COSTLY in fact.traits and fact.framework != "numpy"):
        return True
    return any(
        _is_of_many(analysis, one, site.scope) or _is_square(analysis, one, site.scope)
        for one in (site.node, *tree.operands(site.node))
    )


def _arrays(analysis: Analysis, site: CallSite) -> list[ast.expr]:
    """What a call works on, without the module that it is a function of."""
    return [
        one
        for one in tree.operands(site.node)
        if not callgraph.external_names(values.evaluate(analysis, one, site.scope))
    ]


def _is_gram(sides: list[ast.expr]) -> bool:
    """Whether a matrix is multiplied by its own transpose."""
    names = {frozenset(tree.names_in(side)) for side in sides}
    is_turned = any(
        getattr(part, "attr", "") in _TRANSPOSING for side in sides for part in tree.walk(side)
    )
    return len(sides) == 2 and len(names) == 1 and is_turned


def _is_of_many(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    shape = array_shapes.array_shape(analysis, node, scope)
    return shape is not None and math.prod(n or 1 for n in shape) >= MANY


def _is_square(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether it is made as a table whose sides grow together: `torch.full((n, n), 0.0)`."""
    made = [
        term.site
        for term in values.evaluate(analysis, node, scope)
        if isinstance(term, Instance) and isinstance(term.site, ast.Call)
    ]
    return bool(made) and all(_asks_for_square(analysis, call, scope) for call in made)


def _asks_for_square(analysis: Analysis, call: ast.Call, scope: Scope) -> bool:
    fact = callgraph.fact_of_call(analysis, call, scope)
    if not has(fact, Trait.CREATES_ARRAY) or fact is None:
        return False
    shape = callgraph.role_argument(call, fact, ParameterRole.SHAPE)
    sides = shape.elts if isinstance(shape, (ast.Tuple, ast.List)) else call.args
    named = [ast.dump(side) for side in sides if not isinstance(side, ast.Constant)]
    return len(named) > len(set(named))
