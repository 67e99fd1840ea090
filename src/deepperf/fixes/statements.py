"""Edits to whole statements: delete, replace, and move in front of a loop.

Statements and loops are given by the characters they span in the text (`start` to `end`,
exclusive). All functions answer None, or no edits, where the edit cannot be made with
certainty: text that does not parse, two statements on one line, a one-line loop.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from deepperf.fixes.positions import LINE_END, Lines, indentation, lines_of, newline_of, parsed
from deepperf.records import Edit


@dataclass(frozen=True, slots=True)
class _Block:
    """A statement that has its lines for itself, and how many statements its block has."""

    node: ast.stmt
    siblings: int
    first: int
    last: int


def delete_statement(text: str, start: int, end: int) -> Edit | None:
    """Delete a statement with its lines; `pass` takes its place if its block would be empty."""
    found = _statement(text, start, end)
    if found is None:
        return None
    lines, block = found
    if block.siblings == 1:
        return Edit(start, end, "pass")
    return Edit(lines.starts[block.first - 1], _line_stop(lines, block.last), "")


def replace_statement(text: str, start: int, end: int, code: str) -> Edit | None:
    """Put the lines of `code`, indented as the statement is, in a statement's place."""
    indent = indentation(text, start)
    if indent is None or _statement(text, start, end) is None:
        return None
    return Edit(start, end, _joined(code, indent, newline_of(text))[len(indent) :])


def insert_before(text: str, start: int, code: str) -> Edit | None:
    """Insert the lines of `code`, indented alike, before the statement that begins at `start`."""
    indent = indentation(text, start)
    if indent is None:
        return None
    newline = newline_of(text)
    begin = start - len(indent)
    return Edit(begin, begin, _joined(code, indent, newline) + newline)


def hoist_statement(text: str, start: int, end: int, loop_start: int) -> tuple[Edit, ...]:
    """Move a statement, re-indented, in front of the loop that begins at `loop_start`."""
    removal = delete_statement(text, start, end)
    indent = indentation(text, loop_start)
    found = _statement(text, start, end)
    if removal is None or indent is None or found is None or not loop_start < start:
        return ()
    lines, block = found
    old = indentation(text, start)
    if old is None or lines.line_of(loop_start) == block.first:
        return ()
    moved = _reindented(text, lines, block, old, indent)
    newline = newline_of(text)
    begin = loop_start - len(indent)
    return (Edit(begin, begin, moved + newline), removal)


def hoist_expression(
    text: str, start: int, end: int, loop_start: int, name: str
) -> tuple[Edit, ...]:
    """Compute an expression once in front of a loop as `name`, and use the name in its place."""
    indent = indentation(text, loop_start)
    if indent is None or not loop_start < start < end:
        return ()
    code = text[start:end]
    if LINE_END.search(code) and not code.endswith((")", "]", "}")):
        code = f"({code})"
    begin = loop_start - len(indent)
    return (
        Edit(begin, begin, f"{indent}{name} = {code}{newline_of(text)}"),
        Edit(start, end, name),
    )


def unused_name(text: str, wanted: str) -> str:
    """`wanted`, or `wanted_2`, `wanted_3`, … : the first that occurs nowhere in `text`."""
    import re

    words = set(re.findall(r"\w+", text))
    number = 2
    name = wanted
    while name in words:
        name = f"{wanted}_{number}"
        number += 1
    return name


def _statement(text: str, start: int, end: int) -> tuple[Lines, _Block] | None:
    tree = parsed(text)
    if tree is None:
        return None
    lines = lines_of(text)
    for parent in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(parent, field, None)
            if not isinstance(block, list):
                continue
            for node in block:
                if isinstance(node, ast.stmt) and lines.span(node) == (start, end):
                    return _alone(text, lines, node, len(block))
    return None


def _alone(text: str, lines: Lines, node: ast.stmt, siblings: int) -> tuple[Lines, _Block] | None:
    start, end = lines.span(node)
    if indentation(text, start) is None:
        return None
    match = LINE_END.search(text, end)
    rest = text[end : match.start() if match else len(text)].strip()
    if rest and not rest.startswith("#"):
        return None
    decorators = getattr(node, "decorator_list", [])
    if decorators:
        return None
    return lines, _Block(node, siblings, lines.line_of(start), lines.line_of(max(start, end - 1)))


def _line_stop(lines: Lines, line: int) -> int:
    return lines.starts[line] if line < len(lines.starts) else len(lines.text)


def _reindented(text: str, lines: Lines, block: _Block, old: str, new: str) -> str:
    """The statement's lines with `new` for `old`, lines inside strings left as they are."""
    fixed: set[int] = set()
    for node in ast.walk(block.node):
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and node.end_lineno is not None:
            fixed.update(range(node.lineno + 1, node.end_lineno + 1))
    rows = []
    for number in range(block.first, block.last + 1):
        row = text[lines.starts[number - 1] : _line_stop(lines, number)]
        if number not in fixed and row.startswith(old):
            row = new + row[len(old) :]
        rows.append(row)
    return "".join(rows).rstrip("\r\n")


def _joined(code: str, indent: str, newline: str) -> str:
    rows = LINE_END.split(code)
    return newline.join(indent + row if row.strip() else row for row in rows)
