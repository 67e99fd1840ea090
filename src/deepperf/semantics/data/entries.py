"""Which entries of an element a function of a dataset works with, where the text tells."""

from __future__ import annotations

import ast

from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope, parameters
from deepperf.semantics.text import tree
from deepperf.semantics.values import values

Entries = frozenset[str]


def of_function(analysis: Analysis, node: ast.expr, scope: Scope) -> Entries | None:
    """The keys, or the places, that a function of an element reads or sets, and hands on the rest.

    None where it may be any.
    """

    def find() -> Entries | None:
        function, own = _own_parameters(analysis, node, scope)
        if function is None:
            return None
        results = (
            [function.node.body] if isinstance(function.node, ast.Lambda) else function.returns
        )
        return _used(function, own, results)

    return analysis.remember(("entries", node), find, None)


def of_predicate(analysis: Analysis, node: ast.expr, scope: Scope) -> Entries | None:
    """The same of a function that only answers whether an element is wanted."""

    def find() -> Entries | None:
        function, own = _own_parameters(analysis, node, scope)
        return None if function is None else _used(function, own, [])

    return analysis.remember(("entries asked", node), find, None)


def _own_parameters(
    analysis: Analysis, node: ast.expr, scope: Scope
) -> tuple[Scope | None, list[str]]:
    """The function that an expression holds, and what it is given of an element."""
    targets = callgraph.targets_of(analysis, values.evaluate(analysis, node, scope))
    if len(targets) != 1:
        return None, []
    function = targets[0].function
    inner = function.node
    if isinstance(inner, (ast.Module, ast.ClassDef)) or function.children:
        return None, []
    if inner.args.vararg or inner.args.kwarg:
        return None, []
    analysis.module_of(function)
    return function, [argument.arg for argument in parameters(inner)][targets[0].shift :]


def _used(function: Scope, own: list[str], results: list[ast.expr]) -> Entries | None:
    if len(own) == 1:
        return _of_dictionary(function, own[0], results)
    return _of_tuple(function, own, results)


def _of_dictionary(function: Scope, name: str, results: list[ast.expr]) -> Entries | None:
    """Where every use of the parameter picks an entry by its name, or hands the whole on."""
    found: set[str] = set()
    whole: set[int] = set()
    for result in results:
        if isinstance(result, ast.Name):
            whole.add(id(result))
        elif isinstance(result, ast.Dict):
            for key, value in zip(result.keys, result.values, strict=True):
                if key is None and isinstance(value, ast.Name):
                    whole.add(id(value))
                elif isinstance(key, ast.Constant) and isinstance(key.value, str):
                    found.add(key.value)
                else:
                    return None
    for part in tree.walk(function.node):
        if isinstance(part, ast.Subscript) and getattr(part.value, "id", None) == name:
            if not isinstance(part.slice, ast.Constant) or not isinstance(part.slice.value, str):
                return None
            found.add(part.slice.value)
            whole.add(id(part.value))
    uses = [p for p in tree.walk(function.node) if isinstance(p, ast.Name) and p.id == name]
    return frozenset(found) if all(id(use) in whole for use in uses) else None


def _of_tuple(function: Scope, names: list[str], results: list[ast.expr]) -> Entries | None:
    """Where the function gives a tuple with its parameters in their places, or others there."""
    handed: set[int] = set()
    found: set[str] = set()
    for result in results:
        if not isinstance(result, ast.Tuple) or len(result.elts) != len(names):
            return None
        for place, (name, part) in enumerate(zip(names, result.elts, strict=True)):
            if isinstance(part, ast.Name) and part.id == name:
                handed.add(id(part))
            else:
                found.add(str(place))
    for node in tree.walk(function.node):
        if isinstance(node, ast.Name) and node.id in names and id(node) not in handed:
            found.add(str(names.index(node.id)))
    return frozenset(found)
