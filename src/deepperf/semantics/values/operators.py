"""What operators give: numbers that the text tells, and arrays."""

from __future__ import annotations

import ast
from collections.abc import Callable

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import (
    ARRAY_TYPES,
    UNKNOWN,
    Instance,
    Literal,
    Term,
    Value,
    literal,
    union,
)

_ARITHMETIC: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}


def operation(
    analysis: Analysis, node: ast.expr, operands: tuple[ast.expr, ...], scope: Scope
) -> Value:
    """What an operator gives: a number where the text tells it, or an array."""
    held = [values.evaluate(analysis, operand, scope) for operand in operands]
    if isinstance(node, ast.BinOp) and all(len(value) == 1 for value in held):
        left, right = _number(held[0][0]), _number(held[1][0])
        operator = _ARITHMETIC.get(type(node.op))
        if operator is not None and left is not None and right is not None:
            try:
                return (literal(operator(left, right)),)
            except (ZeroDivisionError, OverflowError):
                return (UNKNOWN,)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        term = held[0][0] if len(held[0]) == 1 else UNKNOWN
        if isinstance(term, Literal) and isinstance(term.value, (int, float)):
            return (literal(-term.value),)
    return array_of(union(*held), node, scope)


def _number(term: Term) -> int | float | None:
    value = term.value if isinstance(term, Literal) else None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def array_of(operands: Value, node: ast.expr, scope: Scope) -> Value:
    """What an operation on `operands` gives: an array of the first kind found; else unknown."""
    types = {term.type for term in operands if isinstance(term, Instance)}
    variables = {"tensorflow.Variable": "tensorflow.Tensor", "torch.nn.Parameter": "torch.Tensor"}
    types |= {array for name, array in variables.items() if name in types}
    for name in ARRAY_TYPES:
        if name in types:
            return (Instance(name, node, scope),)
    return (UNKNOWN,)
