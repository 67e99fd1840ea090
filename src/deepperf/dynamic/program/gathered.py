"""Where an array was put together, told from the text around the call that it is given to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FrameType
from typing import Any

from deepperf.dynamic.program.text import function_around, last_value, tree_of
from deepperf.dynamic.recording.frame_variables import own_variables
from deepperf.dynamic.recording.places import DEEPEST, Place, UserCode
from deepperf.knowledge import members

ARRAYS_OF_LISTS = frozenset(("array", "asarray"))


def gathered_at(code: UserCode, array: Any, frame: FrameType | None) -> Place | None:
    """The line that made `array` of a list, gathered in a loop; None where it was not, or where
    that cannot be told. `frame` is the innermost that may know the array by a name."""
    for _ in range(DEEPEST):
        if frame is None:
            return None
        path = code.path_of(frame.f_code.co_filename)
        known = own_variables(frame) if path else {}
        names = [name for name, value in known.items() if value is array]
        for name in names:
            line = _made_of_list(path, name, frame.f_lineno)
            if line is not None:
                return Place(path, line, frame.f_code.co_name)
        frame = frame.f_back
    return None


def _made_of_list(path: str, name: str, line: int) -> int | None:
    tree = tree_of(path)
    if tree is None:
        return None
    scope = function_around(tree, line)
    value = last_value(scope, name, line)
    if value is None:
        return None
    if _joins_list(scope, value, line):
        return value.lineno
    return _in_called(tree, value)


def _in_called(tree: ast.Module, value: ast.expr) -> int | None:
    """The line in a function of the same file that returns what it gathered."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == value.func.id:
            for joined in _joins(node):
                if _joins_list(node, joined, joined.lineno + 1):
                    return joined.lineno
    return None


def _joins(scope: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(scope):
        if isinstance(node, ast.Call) and _is_join(node):
            yield node


def _joins_list(scope: ast.AST, value: ast.expr, line: int) -> bool:
    """Whether a value is an array of a comprehension, or of a list that a loop appended to."""
    for node in ast.walk(value):
        if isinstance(node, ast.Call) and _is_join(node) and node.args:
            given = node.args[0]
            if isinstance(given, (ast.ListComp, ast.GeneratorExp)):
                return True
            if isinstance(given, ast.Name) and _is_gathered(scope, given.id, line):
                return True
    return False


def _is_gathered(scope: ast.AST, name: str, line: int) -> bool:
    value = last_value(scope, name, line)
    if isinstance(value, ast.ListComp):
        return True
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in members.LIST_ADDITIONS
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == name
        for node in ast.walk(scope)
    )


def _is_join(call: ast.Call) -> bool:
    """Whether a function of a framework makes one array of what a list holds."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    return name in members.JOINS | ARRAYS_OF_LISTS
