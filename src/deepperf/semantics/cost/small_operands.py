"""Whether an operation works on little: on a number, or on few."""

from __future__ import annotations

import ast
import math

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope, last_name
from deepperf.semantics.sizes import array_shapes, numbers, written_out
from deepperf.semantics.text import tree
from deepperf.semantics.values import values

_SMALL = frozenset(
    """direction extrinsic extrinsics gravity homography intrinsic intrinsics pose quat quaternion
    rotation""".split()  # noqa: SIM905
)
"""What has the size of a space, by its name: two numbers, or a matrix of four by four."""
_OF_DIAGONAL = frozenset(("diagonal", "trace"))
"""What reads the diagonal of a matrix: as many numbers as it has rows."""
SHORT = 1000
"""Elements that are worked through in microseconds."""


def is_of_little(analysis: Analysis, site: CallSite) -> bool:
    """Whether it is known to work on a number, or on few."""
    whole = tree.written(site.node)
    if isinstance(whole, ast.BinOp):
        return False
    if _reads_diagonal(site) or _draws_one(analysis, site):
        return True
    operands = list(tree.arguments(site.node))
    receiver = site.node.func.value if isinstance(site.node.func, ast.Attribute) else None
    if receiver is not None and not callgraph.external_names(
        values.evaluate(analysis, receiver, site.scope)
    ):
        operands.append(receiver)
    bounds = [written_out.most_elements(analysis, node, site.scope) for node in operands]
    # Words that the text writes out are short.
    written = [node.value for node in operands if isinstance(node, ast.Constant)]
    if written and len(written) == len(operands):
        return any(isinstance(value, str) for value in written)
    if bounds and all(bound is not None and bound < SHORT for bound in bounds):
        return True
    fact = callgraph.fact_at(analysis, site)
    if operands and all(map(_has_size_of_space, operands)):
        return True
    # What takes a moment anyhow is dispatched as long.
    are_short = operands and has(fact, Trait.COSTLY)
    if are_short and all(_has_few(analysis, node, site.scope) for node in operands):
        return True
    are_numbers = all(numbers.is_number(analysis, node, site.scope) for node in operands)
    # What takes long makes a table of the numbers that it is given.
    is_of_numbers = bool(operands) and are_numbers and not has(fact, Trait.COSTLY)
    return is_of_numbers or (has(fact, Trait.ELEMENTWISE) and decides(site))


def _reads_diagonal(site: CallSite) -> bool:
    """Whether a diagonal is read of what is there already."""
    return last_name(site.node.func) in _OF_DIAGONAL and not any(
        isinstance(part, (ast.Call, ast.BinOp))
        for given in tree.arguments(site.node)
        for part in tree.walk(given)
    )


def _draws_one(analysis: Analysis, site: CallSite) -> bool:
    """Whether JAX draws a single number: it is given a key, and no shape or an empty one."""
    fact = callgraph.fact_at(analysis, site)
    if fact is None or fact.framework != "jax" or Trait.DRAWS not in fact.traits:
        return False
    shape = tree.argument(site.node, 1, "shape")
    if shape is None:
        return len(site.node.args) == 1 and not site.node.keywords
    return isinstance(shape, (ast.Tuple, ast.List)) and not shape.elts


def _has_size_of_space(node: ast.expr) -> bool:
    return (last_name(node) or "").lower().rpartition("_")[2] in _SMALL


def _has_few(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    shape = array_shapes.array_shape(analysis, node, scope)
    return bool(shape) and math.prod(SHORT if n is None else n for n in shape or ()) < SHORT


def decides(site: CallSite) -> bool:
    """Whether its result is used as a truth or a number, which an array cannot be."""
    parents = tree.parents(site.statement)
    node: ast.AST = site.node
    while (above := parents.get(id(node))) is not None:
        if isinstance(above, (ast.If, ast.While, ast.IfExp)):
            return above.test is node
        if isinstance(above, ast.BoolOp):
            return True
        if isinstance(above, ast.Call):
            return isinstance(above.func, ast.Name) and above.func.id in ("float", "int", "bool")
        if not isinstance(above, (ast.BinOp, ast.UnaryOp, ast.Compare)):
            return False
        node = above
    return False
