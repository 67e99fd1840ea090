"""Whether two lines of a program's text call functions with the same arguments."""

from __future__ import annotations

import ast

from deepperf.dynamic.program.text import Function, function_around, spans, tree_of


def have_same_arguments(file: str, first: int, second: int) -> bool:
    """Whether two lines of one function, the first one above, call different functions with
    arguments that are written alike, and no name in them is given anew between or at the calls."""
    tree = tree_of(file)
    if tree is None or first >= second:
        return False
    scope = function_around(tree, first)
    if function_around(tree, second) is not scope:
        return False
    for one in _calls(scope, first):
        for other in _calls(scope, second):
            alike = _written(one) == _written(other) and one.args
            if alike and ast.dump(one.func) != ast.dump(other.func):
                return not _names(one) & _given_anew(scope, range(first, second))
    return False


def is_made_elsewhere(file: str, name: str, line: int) -> bool:
    """Whether a function so called is of another function or class than a line, which may make
    several of them that compute different things."""
    tree = tree_of(file)
    if tree is None:
        return False
    scopes = [one for one in ast.walk(tree) if isinstance(one, (Function, ast.ClassDef))]
    others = [one for one in scopes if not spans(one, line)]
    return any(
        home is not one and spans(home, one.lineno)
        for one in scopes
        if one.name == name
        for home in others
    )


def _calls(scope: ast.AST, line: int) -> list[ast.Call]:
    return [one for one in ast.walk(scope) if isinstance(one, ast.Call) and one.lineno == line]


def _written(call: ast.Call) -> list[str]:
    return [ast.dump(one) for one in (*call.args, *call.keywords)]


def _names(call: ast.Call) -> set[str]:
    """The arguments' names, and attributes with dots."""
    return {
        ast.unparse(one)
        for part in (*call.args, *call.keywords)
        for one in ast.walk(part)
        if isinstance(one, (ast.Name, ast.Attribute))
    }


def _given_anew(scope: ast.AST, lines: range) -> set[str]:
    """What is given a value at these lines."""
    return {
        ast.unparse(one)
        for one in ast.walk(scope)
        if isinstance(one, (ast.Name, ast.Attribute))
        and isinstance(one.ctx, ast.Store)
        and one.lineno in lines
    }
