"""Which statements must have run, since later ones of the same block did; asked after the run."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from deepperf.dynamic.program.text import spans, tree_of

BLOCKS = ("body", "orelse", "finalbody")
CHOSEN = (ast.For, ast.AsyncFor, ast.While, ast.If)
JUMPS = (ast.Break, ast.Continue, ast.Return, ast.Raise)


def has_run(file: str, line: int, known: Collection[int]) -> bool:
    """Whether the statement at a line ran, where `known` are lines that did.

    What stands in a block runs after all that stands before it there. False where nothing says so.
    """
    tree = tree_of(file)
    around = [] if tree is None else [*_around(tree, line)]
    if around and _is_entered(around[-1][0][around[-1][1]], line, known):
        return True
    for block, number in reversed(around):
        later = block[number + 1 :]
        if any(spans(statement, one) for statement in later for one in known):
            return True
        parent = next((outer[at] for outer, at in around if block is _body(outer[at])), None)
        # Where a block of `with` was left, its last statement ran, too; another block was entered
        # if a statement before this one ran there.
        is_whole = isinstance(parent, (ast.With, ast.AsyncWith))
        if not is_whole and not (isinstance(parent, CHOSEN) and _goes_on(block[:number], known)):
            return False
    return False


def _is_entered(statement: ast.stmt, line: int, known: Collection[int]) -> bool:
    """Whether a line is in front of the body of a loop or another compound, and that ran."""
    body = _body(statement)
    return bool(body) and line < body[0].lineno and any(spans(statement, one) for one in known)


def _goes_on(before: list[ast.stmt], known: Collection[int]) -> bool:
    """Whether one of some statements ran, and none of them can have left the block."""
    nodes = [node for statement in before for node in ast.walk(statement)]
    if any(isinstance(node, JUMPS) for node in nodes):
        return False
    return any(spans(statement, one) for statement in before for one in known)


def _around(tree: ast.AST, line: int) -> Iterator[tuple[list[ast.stmt], int]]:
    """The blocks around a line, the outermost first, and which of their statements that is in."""
    blocks = [getattr(tree, name, []) for name in BLOCKS]
    blocks += [handler.body for handler in getattr(tree, "handlers", [])]
    blocks += [case.body for case in getattr(tree, "cases", [])]
    for block in blocks:
        for number, statement in enumerate(block):
            if spans(statement, line):
                yield block, number
                yield from _around(statement, line)


def _body(statement: ast.stmt) -> list[ast.stmt]:
    body: list[ast.stmt] = getattr(statement, "body", [])
    return body
