"""Whether what division leaves of a counter takes few values."""

from __future__ import annotations

import ast

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import lengths, loops
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Literal

_SLOWLY = 100
"""Steps for each new value, from which tracing anew is little beside them."""


def take_few(analysis: Analysis, node: ast.BinOp, scope: Scope) -> bool:
    """Whether an operation gives a remainder of few, or a quotient that changes now and then."""
    if isinstance(node.op, ast.Mod):
        return not _is_large(analysis, node.right, scope)
    return isinstance(node.op, ast.FloorDiv) and _is_slow(node.right)


def _is_slow(divisor: ast.expr) -> bool:
    """Whether what is left of a counter, divided, is another one now and then at most."""
    value = getattr(divisor, "value", None)
    return isinstance(value, (int, float)) and value >= _SLOWLY


def _is_large(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether a divisor is known to be more than a few."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "len" and node.args:
        length = lengths.length(analysis, node.args[0], scope)
        return length is not None and length > loops.TINY
    sizes = [
        term.value for term in values.evaluate(analysis, node, scope) if isinstance(term, Literal)
    ]
    return bool(sizes) and all(isinstance(size, int) and size > loops.TINY for size in sizes)
