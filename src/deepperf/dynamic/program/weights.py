"""Which loops of a program's text go over the weights of a model."""

from __future__ import annotations

import ast

from deepperf.dynamic.program.text import function_around, last_value, spans, tree_of
from deepperf.knowledge import members
from deepperf.semantics.names.scopes import last_name


def loop_over_weights(file: str, line: int) -> int | None:
    """The first line of the innermost loop around a line that takes one weight, or one entry of a
    state, after the other; None where there is none."""
    tree = tree_of(file)
    if tree is None:
        return None
    scope = function_around(tree, line)
    found = [
        node.lineno
        for node in ast.walk(scope)
        if isinstance(node, (ast.For, ast.ListComp, ast.GeneratorExp, ast.DictComp))
        and spans(node, line)
        and any(_lists_weights(scope, one, node.lineno) for one in _iterated(node))
    ]
    return max(found, default=None)


def _iterated(node: ast.For | ast.ListComp | ast.GeneratorExp | ast.DictComp) -> list[ast.expr]:
    return [node.iter] if isinstance(node, ast.For) else [part.iter for part in node.generators]


def _lists_weights(scope: ast.AST, value: ast.expr, line: int) -> bool:
    for node in ast.walk(value):
        if _lists(node):
            return True
        if isinstance(node, ast.Name):
            given = last_value(scope, node.id, line)
            # A copy of them is as long: `deepcopy(model.state_dict())`.
            if given is not None and any(map(_lists, ast.walk(given))):
                return True
    return False


def _lists(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) in members.WEIGHT_LISTINGS
