"""The line of a program's text that compiles a function anew in each turn; asked after the run."""

from __future__ import annotations

import ast
from typing import TypeGuard

from deepperf.dynamic.program.text import function_around, tree_of
from deepperf.dynamic.program.turns import loops_around
from deepperf.semantics.names.scopes import last_name

COMPILES = ("jit", "pmap")
STATIC = "static_"


def compiled_at(file: str, line: int) -> int | None:
    """The line, in the loop or the function around a call, that compiles what is called there.

    None where it is compiled elsewhere.
    """
    tree = tree_of(file)
    if tree is None:
        return None
    around = loops_around(file, line)
    function = function_around(tree, line)
    for scope in (*around[-1:], function):
        if isinstance(scope, ast.Module):
            return None
        called = {
            ast.unparse(node.func)
            for node in ast.walk(scope)
            if isinstance(node, ast.Call)
            and isinstance(node.func, (ast.Name, ast.Attribute))
            and node.lineno == line
        }
        for node in ast.walk(scope):
            if node is not scope and _makes(node, called):
                # What is made before a loop is made once for all its turns, which may each compile
                # it for other values.
                is_for_turns = scope is function and bool(around)
                return None if is_for_turns and _has_static_values(node) else node.lineno
    return None


def _has_static_values(made: ast.AST) -> bool:
    """Whether a compiler is told to compile for each value of some arguments."""
    return any(
        isinstance(node, ast.keyword) and (node.arg or "").startswith(STATIC)
        for node in ast.walk(made)
    )


def _makes(node: ast.AST, called: set[str]) -> TypeGuard[ast.stmt]:
    """Whether a statement compiles a function of one of these names."""
    if isinstance(node, ast.FunctionDef):
        return node.name in called and any(map(_names_compiler, node.decorator_list))
    if not isinstance(node, ast.Assign) or not _compiles(node.value):
        return False
    return any(ast.unparse(target) in called for target in node.targets)


def _compiles(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and _names_compiler(value.func)


def _names_compiler(node: ast.expr) -> bool:
    """Whether an expression is `jax.jit`, called with options or not."""
    if isinstance(node, ast.Call):
        return any(map(_names_compiler, (node.func, *node.args)))
    return last_name(node) in COMPILES
