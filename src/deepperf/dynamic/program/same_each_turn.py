"""Whether what a line works on is the same in each turn of a loop around it, or around what calls
it; asked after the run."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from typing import Any

from deepperf.dynamic.program.handed_on import changed_in_turns, works_on
from deepperf.dynamic.program.text import function_around, simple_statements, tree_of
from deepperf.dynamic.program.turns import Loop, Names, names_in
from deepperf.semantics.names.scopes import last_name

Way = tuple[str, int]
BUILTINS = frozenset(dir(builtins)) - {"next"}
"""What makes the same of the same, but for what steps on."""


def same_in_turns(ways: Sequence[Any], place: int, loop: Loop, step: int) -> bool:
    """Whether the innermost of these lines, each called by the next, is given the same in each turn
    of a loop, and what comes of it goes into no step.

    `ways[place]` is the line in the loop, `step` the line in it that steps.
    """
    file, line = ways[place]
    statements = list(simple_statements(loop))
    asking = next((one for one in statements if _holds(one, line)), None)
    if asking is None or _holds(asking, step) or _is_chosen(loop, line):
        return False
    calls = list(_calls_of(asking, _name_at(ways[place - 1]) if place else ""))
    turning = _turning(loop)
    if not any(_is_same(call, turning) for call in calls):
        return False
    if _goes_into(asking, step, statements):
        return False
    inner = [tuple(way) for way in ways[:place]]
    changing = changed_in_turns([*inner, (file, line)], file, line)
    return not any(works_on(*way) & changing for way in inner)


def is_given_the_same(loop: Loop, line: int) -> bool:
    """Whether calls at a line of a loop are given something, and the same in each turn."""
    turning = _turning(loop)
    found = [
        call
        for one in simple_statements(loop)
        if _holds(one, line)
        for call in _calls_of(one, "")
        if call.args or call.keywords
    ]
    return bool(found) and all(_is_same(call, turning) for call in found)


def _holds(statement: ast.AST, line: int) -> bool:
    first, last = getattr(statement, "lineno", 0), getattr(statement, "end_lineno", 0)
    return bool(first <= line <= last)


def _is_chosen(loop: Loop, line: int) -> bool:
    """Whether only some turns come to a line."""
    return any(
        (isinstance(node, (ast.If, ast.Try, ast.Match)) and _holds(node, line))
        or (isinstance(node, (ast.Continue, ast.Break)) and node.lineno < line)
        for part in loop.body
        for node in ast.walk(part)
    )


def _name_at(way: Any) -> str:
    """The function that a line stands in."""
    file, line = way
    tree = tree_of(file)
    function = None if tree is None else function_around(tree, line)
    return getattr(function, "name", "")


def _calls_of(statement: ast.stmt, name: str) -> Iterator[ast.Call]:
    """The calls of a statement; of one name, where any has it: an object may be called, too."""
    calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
    named = [call for call in calls if last_name(call.func) == name]
    yield from named or calls


def _turning(loop: Loop) -> Names:
    """What is another thing in each turn."""
    targets = [] if isinstance(loop, ast.While) else [loop.target]
    for node in ast.walk(loop):
        if isinstance(node, ast.Assign):
            targets += node.targets
        elif isinstance(
            node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr, ast.For, ast.comprehension)
        ):
            targets.append(node.target)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            targets.append(node.optional_vars)
    return frozenset[str]().union(*map(names_in, targets))


def _is_same(call: ast.Call, turning: Names) -> bool:
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    inner = [node for one in given for node in ast.walk(one)]
    own = frozenset[str]().union(
        *(names_in(node.target) for node in inner if isinstance(node, ast.comprehension))
    )
    is_fresh = any(
        isinstance(node, (ast.Await, ast.Yield))
        or (isinstance(node, ast.Call) and not _is_builtin(node.func))
        for node in inner
    )
    return not is_fresh and not frozenset().union(*map(names_in, given)) & (turning - own)


def _is_builtin(function: ast.expr) -> bool:
    return isinstance(function, ast.Name) and function.id in BUILTINS


def _goes_into(asking: ast.stmt, step: int, statements: Sequence[ast.stmt]) -> bool:
    """Whether what a statement makes is needed, in one turn or the next, by the one that steps."""
    made = _written(asking)
    for _ in range(2):
        for one in sorted(statements, key=lambda statement: statement.lineno):
            if one is not asking and made & _read(one):
                if _holds(one, step):
                    return True
                made |= _written(one)
    return False


def _written(statement: ast.stmt) -> Names:
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    return frozenset[str]().union(*map(names_in, targets))


def _read(statement: ast.stmt) -> Names:
    return names_in(getattr(statement, "value", None))
