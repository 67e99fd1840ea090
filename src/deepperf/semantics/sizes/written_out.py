"""How many elements arrays have that are made, in place, of numbers that the text writes out."""

from __future__ import annotations

import ast
import math

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import values


def most_elements(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    """A bound on the elements of an array that a call makes of numbers only; else None.

    `linspace(0, pi, 9)` has no more than the product of its whole numbers, and so has `zeros`;
    one that is made of a single number, whole or not, has no more than that number says.
    """
    if not isinstance(node, ast.Call) or not node.args:
        return None
    fact = callgraph.fact_of(analysis, values.evaluate(analysis, node.func, scope))
    if not has(fact, Trait.CREATES_ARRAY):
        return None
    if not all(_is_number(part) for part in node.args):
        return None
    whole = [
        part.value
        for argument in node.args
        for part in tree.walk(argument)
        if isinstance(part, ast.Constant) and isinstance(part.value, int)
    ]
    return math.prod(max(number, 1) for number in whole)


def _is_number(node: ast.expr) -> bool:
    """Whether an expression is one number, or a shape, that is written out."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
    if isinstance(node, ast.Attribute):
        return node.attr in ("pi", "e")
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_number(node.left) and _is_number(node.right)
    return isinstance(node, (ast.Tuple, ast.List)) and all(map(_is_number, node.elts))
