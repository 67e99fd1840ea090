"""Edits to whole statements."""

from __future__ import annotations

import ast

from deepperf.fixes.positions import Lines, lines_of, parsed
from deepperf.records import Edit


def delete_statement(text: str, start: int, end: int) -> Edit | None:
    """Delete the statement that the characters `start` to `end` are the value or target of.

    None where they are a part of something larger, or where it does not have its lines to itself,
    or where nothing would be left in its block.
    """
    tree = parsed(text)
    if tree is None:
        return None
    lines = lines_of(text)
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if not isinstance(block, list):
                continue
            for statement in block:
                if _is_all_of(statement, lines, start, end):
                    return _lines_of(text, lines.span(statement)) if len(block) > 1 else None
    return None


def _is_all_of(statement: ast.stmt, lines: Lines, start: int, end: int) -> bool:
    if isinstance(statement, ast.Expr):
        return lines.span(statement.value) == (start, end)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return lines.span(statement.targets[0])[0] == start and end <= lines.span(statement)[1]
    return False


def _lines_of(text: str, span: tuple[int, int]) -> Edit | None:
    begin = text.rfind("\n", 0, span[0]) + 1
    stop = text.find("\n", span[1])
    stop = len(text) if stop < 0 else stop + 1
    before, after = text[begin : span[0]].strip(), text[span[1] : stop].strip()
    return None if before or after else Edit(begin, stop, "")
