"""Whether what a line works on was handed on to it, call by call, from a loop that goes over it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from deepperf.dynamic.program.loops import is_mapped_at
from deepperf.dynamic.program.text import function_around, tree_of
from deepperf.dynamic.program.turns import goes_over_what_is_there, in_loop, takes_item

Function = ast.FunctionDef | ast.AsyncFunctionDef
OUTERMOST = 5
"""Lines of the user's from a call outwards of which one may be in the loop over the items."""
SETS_UP = ("__init__", "__post_init__", "__new__", "build", "setup", "setUp", "load")
"""What prepares an object, once: what it sets is there before any loop."""
CHANGES = ("append", "appendleft", "extend", "insert", "add", "update", "pop", "popleft", "assign")
"""What changes the object that it is called on."""


def is_item_of_loop(ways: Sequence[Any]) -> bool:
    """Whether the innermost of these lines, each called by the next, works on what a loop goes
    over that was there before, and on nothing that an earlier turn has made.

    A function between the two must work on its arguments alone, and keep nothing from call to
    call.
    """
    for file, line in ways:
        if in_loop(file, line):
            return takes_item(file, line) and goes_over_what_is_there(file, line)
        if is_mapped_at(file, line):
            # What is mapped is called with item after item.
            return True
        if not _works_on_arguments(file, line):
            return False
    return False


def _works_on_arguments(file: str, line: int) -> bool:
    tree = tree_of(file)
    function = None if tree is None else function_around(tree, line)
    if tree is None or not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    arguments = {
        argument.arg
        for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    }
    needed = _needed_at(function, line)
    return bool(needed & (arguments - {"self", "cls"})) and not needed & _changing(tree)


def _needed_at(function: Function, line: int) -> frozenset[str]:
    """The data that a statement works on, followed back to the beginning of its function."""
    needed: frozenset[str] = frozenset()
    for statement in sorted(_simple(function), key=lambda one: -one.lineno):
        if statement.lineno <= line <= (statement.end_lineno or statement.lineno):
            needed |= _data_of(statement)
        elif statement.lineno < line:
            made = frozenset().union(*map(_written, _targets(statement)))
            if made & needed:
                needed = (needed - made) | _data_of(statement)
    return needed


def _simple(function: Function) -> Iterator[ast.stmt]:
    for node in ast.walk(function):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            yield node


def _targets(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.Assign):
        return statement.targets
    if isinstance(statement, (ast.AugAssign, ast.AnnAssign)):
        return [statement.target]
    return []


def _written(target: ast.expr) -> frozenset[str]:
    return frozenset(node.id for node in ast.walk(target) if isinstance(node, ast.Name))


def _data_of(statement: ast.stmt) -> frozenset[str]:
    """Names and attributes that a statement reads, without the functions and objects that it
    merely calls: `self.model(row)` works on `row`."""
    called = {
        id(node.func)
        for node in ast.walk(statement)
        if isinstance(node, ast.Call)
        and (isinstance(node.func, ast.Name) or _is_of_self(node.func))
    }
    found = set()
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if id(node) in called:
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and _is_of_self(node):
            found.add(f"self.{node.attr}")
        waiting += ast.iter_child_nodes(node)
    return frozenset(found)


def _is_of_self(node: ast.expr) -> bool:
    if not isinstance(node, ast.Attribute):
        return False
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _changing(tree: ast.Module) -> frozenset[str]:
    """Attributes and global names that a file's functions change, once objects are set up."""
    found = set()
    for function in ast.walk(tree):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if function.name in SETS_UP:
            continue
        for node in ast.walk(function):
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                found.update(node.names)
            for target in _changed_by(node):
                if _is_of_self(target):
                    found.add(f"self.{target.attr}")
    return frozenset(found)


def _changed_by(node: ast.AST) -> Iterator[Any]:
    """What a node sets, sets a part of, or calls to change itself."""
    if isinstance(node, ast.stmt):
        for target in _targets(node):
            yield from ast.walk(target)
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in CHANGES
    ):
        yield node.func.value
