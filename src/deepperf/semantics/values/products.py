"""What multiplies matrices where nothing tells what they are."""

from __future__ import annotations

import ast

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.text.tree import Product
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import UNKNOWN, Argument, External, Unknown, Value

_OTHERS = frozenset(("cupy", "dask", "jax", "keras", "mxnet", "sympy", "tensorflow", "torch"))
"""Libraries whose objects are multiplied with `@`, too."""


def multiplier(analysis: Analysis, node: Product, scope: Scope) -> Value:
    """The function that `a @ b` stands for: NumPy's, in a file that knows no other arrays."""
    whole = node.value
    assert isinstance(whole, ast.BinOp)
    if not _knows_numpy_alone(analysis, scope.module_path):
        return (UNKNOWN,)
    for operand in (whole.left, whole.right):
        held = values.evaluate(analysis, operand, scope)
        if not all(isinstance(term, (Argument, Unknown)) for term in held):
            return (UNKNOWN,)
    return (External("numpy.matmul"),)


def _knows_numpy_alone(analysis: Analysis, path: str) -> bool:
    packages: set[str] = set()
    for statement in analysis.module(path).scopes.imports.values():
        names = [alias.name for alias in statement.names]
        if isinstance(statement, ast.ImportFrom):
            names = [statement.module or ""]
        packages.update(name.partition(".")[0] for name in names)
    return "numpy" in packages and packages.isdisjoint(_OTHERS)
