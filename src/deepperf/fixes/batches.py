"""Edits to functions of one sample that make them functions of a batch of samples.

A place is given by characters of the text. The function answers None where the edit cannot be made
with certainty.
"""

from __future__ import annotations

import ast

from deepperf.fixes.positions import lines_of, parsed
from deepperf.records import Edit

_FUNCTIONS = (ast.FunctionDef, ast.Lambda)


def lead_subscripts(text: str, line: int) -> tuple[Edit, ...] | None:
    """Let the subscripts of the function at a line, from 1, leave a first axis as it is.

    `x[:, None]` becomes `x[:, :, None]`; those that name what they take, or begin with `...`,
    stay. None where an index might be the sample's, or something else uses the function.
    """
    tree = parsed(text)
    nodes = [*ast.walk(tree)] if tree is not None else []
    found = [n for n in nodes if isinstance(n, _FUNCTIONS) and n.lineno == line]
    if len(found) != 1:
        return None
    if isinstance(found[0], ast.FunctionDef):
        name = found[0].name
        uses = sum(isinstance(n, ast.Name) and n.id == name for n in nodes)
        uses += sum(isinstance(n, ast.Attribute) and n.attr == name for n in nodes)
        if uses != 1:
            return None
    edits = []
    for node in ast.walk(found[0]):
        if not isinstance(node, ast.Subscript) or isinstance(node.slice, (ast.Name, ast.JoinedStr)):
            continue
        first = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) else node.slice
        if isinstance(first, ast.Constant) and (first.value is ... or isinstance(first.value, str)):
            continue
        if not isinstance(first, (ast.Slice, ast.Constant)):
            return None
        if isinstance(first, ast.Constant) and not isinstance(node.slice, ast.Tuple):
            return None  # of a tuple of features, or the first number of a sample
        start = lines_of(text).span(first)[0]
        edits.append(Edit(start, start, ":, "))
    return tuple(edits)
