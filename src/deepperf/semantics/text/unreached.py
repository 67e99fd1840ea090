"""Statements that stand behind one that leaves their block, and so never run."""

from __future__ import annotations

import ast

from deepperf.semantics.text.tree import walk

_LEAVING = frozenset((ast.Return, ast.Raise, ast.Break, ast.Continue))
_BLOCKS = ("body", "orelse", "finalbody")
_YIELDS = (ast.Yield, ast.YieldFrom)


def leave_out_unreached(tree: ast.Module) -> None:
    """Take out of the tree what stands after `return`, `raise`, `break` and `continue`.

    A `yield` that never runs makes a generator all the same, and stays. So does what stands in
    no function and no block: the cells of a notebook are run one by one, even after an error.
    """
    pending: list[ast.AST] = [*tree.body]
    while pending:
        node = pending.pop()
        for name in _BLOCKS:
            block = getattr(node, name, None)
            if type(block) is list and block:
                _cut(block)
                pending += block
        pending += getattr(node, "handlers", ()) or getattr(node, "cases", ())


def _cut(block: list[ast.stmt]) -> None:
    for index, statement in enumerate(block[:-1], 1):
        if type(statement) in _LEAVING:
            rest = block[index:]
            if not any(isinstance(part, _YIELDS) for one in rest for part in walk(one)):
                del block[index:]
            return
