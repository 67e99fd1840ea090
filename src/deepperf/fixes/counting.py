"""Edits to loops that do nothing but count what they go over.

A place is given by characters of the text. All functions answer None where the edit cannot be made
with certainty.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from deepperf.fixes.positions import lines_of, parsed
from deepperf.fixes.statements import blocks
from deepperf.records import Edit

AT_ONCE = 1024
_BATCH = "batch"


def replace_counting(text: str, start: int, end: int, number: str) -> tuple[Edit, ...] | None:
    """Write a number instead of the loop, or the `sum`, from `start` to `end` that counts it.

    A loop has to follow the line that sets its count to 0, and to do nothing else.
    """
    tree = parsed(text)
    if tree is None:
        return None
    lines = lines_of(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and lines.span(node) == (start, end):
            return (Edit(start, end, number),)
    for block in blocks(tree):
        for before, loop in pairwise(block):
            if isinstance(loop, ast.For) and lines.span(loop)[0] == start:
                value = _counted_from(before, loop)
                if value is None or "#" in text[lines.span(before)[1] : start]:
                    return None
                return (Edit(lines.span(value)[0], lines.span(loop)[1], number),)
    return None


def _counted_from(before: ast.stmt, loop: ast.For) -> ast.expr | None:
    """The 0 from which a loop that does nothing else counts its iterations."""
    count = loop.body[0]
    if not isinstance(before, ast.Assign) or not isinstance(count, ast.AugAssign):
        return None
    is_one = isinstance(count.value, ast.Constant) and count.value.value == 1
    is_zero = isinstance(before.value, ast.Constant) and before.value.value == 0
    names = {ast.unparse(target) for target in (*before.targets, count.target)}
    is_alone = len(loop.body) == 1 and not loop.orelse and isinstance(count.op, ast.Add)
    return before.value if is_one and is_zero and is_alone and len(names) == 1 else None


def count_in_batches(
    text: str, start: int, end: int, work: tuple[tuple[int, int], ...]
) -> tuple[Edit, ...] | None:
    """Let the loop from `start` to `end` go over batches, and add up how many elements they hold.

    `work` are the method calls whose results it counts, the outermost first, of which each gives
    as many elements as it takes: they are left out.
    """
    tree = parsed(text)
    if tree is None or any(_BATCH in (*_names(node),) for node in ast.walk(tree)):
        return None
    lines = lines_of(text)
    for block in blocks(tree):
        for before, loop in pairwise(block):
            if not isinstance(loop, ast.For) or lines.span(loop) != (start, end):
                continue
            if _counted_from(before, loop) is None:
                return None
            count = loop.body[0]
            assert isinstance(count, ast.AugAssign)
            stop = lines.span(loop.iter)[1]
            edits = [
                Edit(*lines.span(loop.target), _BATCH),
                Edit(stop, stop, f".batch({AT_ONCE})"),
                Edit(*lines.span(count.value), f"int({_BATCH}.shape[0])"),
            ]
            for call in ast.walk(tree):
                if isinstance(call, ast.Call) and lines.span(call) in work:
                    if not isinstance(call.func, ast.Attribute):
                        return None
                    edits.append(Edit(lines.span(call.func.value)[1], lines.span(call)[1], ""))
            return tuple(edits)
    return None


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
