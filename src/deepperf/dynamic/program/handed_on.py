"""Whether what a line works on was handed on to it, call by call, from a loop that goes over it."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from deepperf.dynamic.program.loops import is_mapped_at
from deepperf.dynamic.program.text import (
    Function,
    function_around,
    simple_statements,
    spans,
    tree_of,
)
from deepperf.dynamic.program.turns import (
    goes_over_what_is_there,
    in_loop,
    is_within,
    loops_around,
    takes_item,
)
from deepperf.knowledge import members

OUTERMOST = 5
"""Lines of the user's from a call outwards of which one may be in the loop over the items."""
CONSTRUCTS = ("__init__", "__post_init__", "__new__")
"""What Python calls to make an object: what it sets is there before anybody has the object."""
CHANGES = members.CONTAINER_ADDITIONS | members.CONTAINER_REMOVALS | members.VARIABLE_ASSIGNMENTS
"""What changes the object that it is called on."""


def is_item_of_loop(ways: Sequence[Any]) -> bool:
    """Whether the innermost of these lines, each called by the next, works on what a loop goes
    over that was there before, and on nothing that an earlier turn has made.

    A function between the two must work on its arguments alone, and keep nothing from call to
    call.
    """
    passed = list(itertools.takewhile(lambda way: not _is_turned(*way), ways))
    if len(passed) == len(ways):
        return False
    file, line = ways[len(passed)]
    if in_loop(file, line) and not (takes_item(file, line) and goes_over_what_is_there(file, line)):
        return False
    # What is mapped is called with item after item.
    changing = changed_in_turns(ways[: len(passed) + 1], file, line)
    return all(_works_on_arguments(file, line, changing) for file, line in passed)


def _is_turned(file: str, line: int) -> bool:
    return in_loop(file, line) or is_mapped_at(file, line)


def _works_on_arguments(file: str, line: int, changing: frozenset[str]) -> bool:
    function = _function_at(file, line)
    if function is None:
        return False
    arguments = {
        argument.arg
        for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    }
    needed = _needed_at(function, line)
    return bool(needed & (arguments - {"self", "cls"})) and not needed & changing


def works_on(file: str, line: int) -> frozenset[str]:
    """Names and attributes that a statement's data come from, at the beginning of its function."""
    function = _function_at(file, line)
    return frozenset() if function is None else _needed_at(function, line)


def _function_at(file: str, line: int) -> Function | None:
    tree = tree_of(file)
    found = None if tree is None else function_around(tree, line)
    return found if isinstance(found, Function) else None


def _needed_at(function: Function, line: int) -> frozenset[str]:
    """The data that a statement works on, followed back to the beginning of its function."""
    needed: frozenset[str] = frozenset()
    for statement in sorted(simple_statements(function), key=lambda one: -one.lineno):
        if spans(statement, line):
            needed |= _data_of(statement)
        elif statement.lineno < line:
            made = frozenset().union(*map(_written, _targets(statement)))
            if made & needed:
                needed = (needed - made) | _data_of(statement)
    loops = (node for node in ast.walk(function) if isinstance(node, (ast.For, ast.AsyncFor)))
    for loop in sorted(loops, key=lambda one: -one.lineno):
        if is_within(loop, line) and _written(loop.target) & needed:
            needed |= _data_of(ast.Expr(loop.iter))
    return needed


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


def changed_in_turns(ways: Iterable[Any], home: str, line: int) -> frozenset[str]:
    """Attributes and global names that functions of the files of these lines change from turn to
    turn of the loop of a line in `home`: not those that are called by name elsewhere alone."""
    trees = [tree for tree in map(tree_of, {file for file, _ in ways}) if tree is not None]
    functions = [node for tree in trees for node in ast.walk(tree) if isinstance(node, Function)]
    called = frozenset[str]().union(*(_mentioned(tree) for tree in trees))
    turned = _called_from(_turned(home, line), functions)
    found = set()
    for function in functions:
        # What nobody calls by its name, a framework or Python itself may call in a turn.
        is_before = function.name in called and function.name not in turned
        if is_before or function.name in CONSTRUCTS:
            continue
        for node in ast.walk(function):
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                found.update(node.names)
            for target in _changed_by(node):
                if _is_of_self(target):
                    found.add(f"self.{target.attr}")
    return frozenset(found)


def _turned(file: str, line: int) -> list[ast.AST]:
    """What runs in the turns of a line: its loop, or the statement that maps a function."""
    around = loops_around(file, line)
    if around:
        return list(around[:1])
    tree = tree_of(file)
    return [
        node
        for node in (() if tree is None else ast.walk(tree))
        if isinstance(node, ast.stmt) and not hasattr(node, "body") and spans(node, line)
    ]


def _called_from(nodes: Iterable[ast.AST], functions: Sequence[Function]) -> frozenset[str]:
    """The names that these nodes mention, and those that functions of these names mention."""
    found = frozenset[str]().union(*map(_mentioned, nodes))
    waiting = list(found)
    while waiting:
        name = waiting.pop()
        for function in functions:
            if function.name == name:
                further = _mentioned(function) - found
                found |= further
                waiting += further
    return found


def _mentioned(node: ast.AST) -> frozenset[str]:
    """Names and attributes that are read, and so may be called."""
    return frozenset(
        part.attr if isinstance(part, ast.Attribute) else part.id
        for part in ast.walk(node)
        if isinstance(part, (ast.Attribute, ast.Name)) and isinstance(part.ctx, ast.Load)
    )


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
