"""The loop of a program's text that chooses a formula for each element; asked after the run."""

from __future__ import annotations

import ast

from deepperf.dynamic.program.text import spans, tree_of
from deepperf.dynamic.program.turns import loops_around

LEAVES = (ast.Break, ast.Return, ast.Raise, ast.Continue)
"""What makes a branch end the loop or skip a turn, rather than choose what is computed."""


def chosen_at(file: str, line: int) -> int | None:
    """The header of the loop in which the test at a line chooses what a turn computes.

    Of loops in which nothing stands but another, the outermost; None where a line is no test, or
    where it decides whether the loop goes on.
    """
    around = loops_around(file, line)
    if not around or not _chooses(file, line):
        return None
    header = around[0]
    for outer in around[1:]:
        if len(outer.body) != 1 or outer.body[0] is not header:
            break
        header = outer
    return header.lineno


def _chooses(file: str, line: int) -> bool:
    tree = tree_of(file)
    for node in () if tree is None else ast.walk(tree):
        test = node.test if isinstance(node, (ast.If, ast.IfExp)) else None
        if test is not None and spans(test, line):
            return not any(isinstance(part, LEAVES) for part in ast.walk(node))
    return False
