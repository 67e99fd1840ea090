"""Where a program has its texts padded to the greatest length that a model takes."""

from __future__ import annotations

import ast

from deepperf.dynamic.program.text import tree_of

MAXIMUM = "max_length"


def padded_at(file: str) -> list[int]:
    """The lines of calls that ask for it."""
    tree = tree_of(file)
    return [
        node.value.lineno
        for node in (() if tree is None else ast.walk(tree))
        if isinstance(node, ast.keyword)
        and node.arg == "padding"
        and isinstance(node.value, ast.Constant)
        and node.value.value == MAXIMUM
    ]
