"""Edits to whole statements.

A place is given by characters of the text. All functions answer None where the edit cannot be made
with certainty: where a statement shares its lines with another, say.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Sequence
from itertools import pairwise

from deepperf.fixes.positions import LINE_END, Lines, lines_of, newline_of, parsed
from deepperf.records import Edit

INDENT = "    "
_BLOCKS = ("body", "orelse", "finalbody")
_HEADED = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.If,
    ast.With,
    ast.AsyncWith,
    ast.Try,
)


def delete_statement(text: str, start: int, end: int) -> Edit | None:
    """Delete the statement that the characters `start` to `end` are the value or target of.

    None where they are a part of something larger, or where nothing would be left in its block.
    """
    tree = parsed(text)
    if tree is None:
        return None
    lines = lines_of(text)
    for block in blocks(tree):
        for statement in block:
            if _is_all_of(statement, lines, start, end):
                edit = _lines_of(text, lines.span(statement)) if len(block) > 1 else None
                return None if edit is None else _with_gap(text, edit)
    return None


def _with_gap(text: str, edit: Edit) -> Edit:
    """Of the empty lines above and below what is deleted, the fewer go with it."""
    above = text[: edit.start]
    ends = above[len(above.rstrip("\r\n")) :]
    stop = edit.end
    for _ in range(len(LINE_END.findall(ends)) - 1):
        empty = LINE_END.match(text, stop)
        if empty is None:
            break
        stop = empty.end()
    return Edit(edit.start, stop, edit.text)


def insert_behind(text: str, start: int, end: int, added: Sequence[str]) -> Edit | None:
    """Insert statements behind the one that the characters `start` to `end` are a part of."""
    found = _statement(text, start, end)
    if found is None or isinstance(found[0], (*_HEADED, ast.Return, ast.Raise)):
        return None
    place = whole_lines(text, found[1])
    if place is None:
        return None
    indent, stop = indent_at(text, place[0]), len(text[: place[1]].rstrip("\r\n"))
    newline = newline_of(text)
    return Edit(stop, stop, "".join(f"{newline}{indent}{row}" for row in added))


def hoist(text: str, start: int, end: int, loop: int) -> tuple[Edit, ...] | None:
    """Move the assignment whose value the characters `start` to `end` are to before a loop.

    `loop` is where the loop begins; the assignment may stand in loops inside of it. That the value
    is the same in each iteration is for the caller to know. None too where it stands under a
    condition in the loop, where the loop sets the name elsewhere, reads it first, or makes what
    the value is made of, and where nothing would be left in the loop.
    """
    tree = parsed(text)
    lines = lines_of(text)
    loops = (ast.For, ast.AsyncFor, ast.While)
    nodes = [n for n in ast.walk(tree or ast.Module([], [])) if isinstance(n, loops)]
    around = next((node for node in nodes if lines.span(node)[0] == loop), None)
    moved = _assignment(around, lines, (start, end)) if around is not None else None
    if around is None or moved is None:
        return None
    place, target = whole_lines(text, lines.span(moved)), whole_lines(text, lines.span(around))
    if place is None or target is None or spans_lines_of_text(text, *place):
        return None
    here, there = indent_at(text, place[0]), indent_at(text, target[0])
    rows = LINE_END.sub("\n", text[slice(*place)]).removesuffix("\n").split("\n")
    shifted = [there + row.removeprefix(here) if row.strip() else row for row in rows]
    newline = newline_of(text)
    return (
        Edit(target[0], target[0], "".join(row + newline for row in shifted)),
        Edit(place[0], place[1], ""),
    )


def _assignment(
    loop: ast.For | ast.AsyncFor | ast.While, lines: Lines, value: tuple[int, int]
) -> ast.Assign | None:
    """The statement in a loop's body that alone gives a name a value, before anything reads it."""
    found = _assigning(loop.body, lines, value)
    if found is None or len(found.targets) != 1 or not isinstance(found.targets[0], ast.Name):
        return None
    name, start = found.targets[0].id, lines.span(found)[0]
    nodes = [n for n in ast.walk(loop) if isinstance(n, ast.Name)]
    stored = [*bound_in(loop)]
    own = {a.arg for n in ast.walk(found.value) if isinstance(n, ast.Lambda)
           for a in ast.walk(n.args) if isinstance(a, ast.arg)}  # fmt: skip
    read = {n.id for n in nodes if value[0] <= lines.span(n)[0] < value[1]} - own
    is_first = all(lines.span(n)[0] >= start for n in nodes if n.id == name)
    is_alone = stored.count(name) == 1 and is_first and name not in read
    return found if is_alone and read.isdisjoint(stored) else None


def _assigning(block: list[ast.stmt], lines: Lines, value: tuple[int, int]) -> ast.Assign | None:
    """The assignment of a value in a block, or in loops inside, that others follow there."""
    for one in block if len(block) > 1 else ():
        if isinstance(one, ast.Assign) and lines.span(one.value) == value:
            return one
    inner = (one.body for one in block if isinstance(one, (ast.For, ast.While)))
    return next(filter(None, (_assigning(body, lines, value) for body in inner)), None)


def bound_in(node: ast.AST) -> Iterator[str]:
    """The names that some code gives a value, once for each time."""
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load):
            yield one.id
        elif isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield one.name
        elif isinstance(one, ast.alias):
            yield one.asname or one.name.partition(".")[0]


def put_under(text: str, first: int, last: int, heading: str) -> tuple[Edit, ...] | None:
    """Put the statements of one block from that at `first` to that at `last` under a heading, such
    as `with open(path)`.

    Both are characters within these statements. None where lines of a text would move.
    """
    tree = parsed(text)
    if tree is None:
        return None
    lines = lines_of(text)
    for block in sorted(blocks(tree), key=lambda block: -lines.span(block[0])[0]):
        spans = [lines.span(statement) for statement in block]
        inside = [span for span in spans if span[0] <= last and first < span[1]]
        if not inside or not inside[0][0] <= first or not last < inside[-1][1]:
            continue
        begin, stop = whole_lines(text, inside[0]), whole_lines(text, inside[-1])
        if begin is None or stop is None or spans_lines_of_text(text, begin[0], stop[1]):
            return None
        indent = indent_at(text, begin[0])
        newline = newline_of(text)
        bounds = [s for s in lines.starts if begin[0] <= s < stop[1]]
        rows = pairwise((*bounds, stop[1]))
        inner = [Edit(a, a, INDENT) for a, b in rows if text[a:b].strip() and a != begin[0]]
        header = Edit(begin[0], begin[0], f"{indent}{heading}:{newline}{INDENT}")
        return (header, *inner)
    return None


def decorate(text: str, line: int, decorator: str) -> Edit | None:
    """Put a decorator on the function whose `def`, or first decorator, is on a line, from 1."""
    tree = parsed(text)
    if tree is None:
        return None
    lines = lines_of(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if line in (first, node.lineno):
                start = lines.starts[first - 1]
                indent = indent_at(text, start)
                return Edit(start, start, f"{indent}@{decorator}{newline_of(text)}")
    return None


def undecorate(text: str, start: int, end: int) -> Edit | None:
    """Take a decorator, whose characters behind its `@` these are, away with its line."""
    begin = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", end) + 1
    is_alone = text[begin:start].strip() == "@" and not text[end:stop].strip()
    return Edit(begin, stop, "") if is_alone and stop else None


def blocks(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in _BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def _statement(text: str, start: int, end: int) -> tuple[ast.stmt, tuple[int, int], int] | None:
    """The innermost statement around a place, its characters, and how many its block has."""
    tree = parsed(text)
    if tree is None:
        return None
    lines = lines_of(text)
    around = [
        (statement, span, len(block))
        for block in blocks(tree)
        for statement in block
        if (span := lines.span(statement))[0] <= start and end <= span[1]
    ]
    return max(around, key=lambda found: found[1][0], default=None)


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


def whole_lines(text: str, span: tuple[int, int]) -> tuple[int, int] | None:
    """The lines of a statement that has them to itself, but for a comment behind it."""
    lines = lines_of(text)
    begin = lines.starts[lines.line_of(span[0]) - 1]
    last = lines.line_of(max(span[0], span[1] - 1))
    stop = lines.starts[last] if last < len(lines.starts) else len(text)
    behind = text[span[1] : stop].strip()
    is_alone = not text[begin : span[0]].strip() and (not behind or behind.startswith("#"))
    return (begin, stop) if is_alone else None


def indent_at(text: str, line_start: int) -> str:
    row = text[line_start:].lstrip(" \t")
    return text[line_start : len(text) - len(row)]


def spans_lines_of_text(text: str, begin: int, stop: int) -> bool:
    """Whether a literal within goes on over several lines, which no indent may reach."""
    lines = lines_of(text)
    first, last = lines.line_of(begin), lines.line_of(max(begin, stop - 1))
    try:
        tokens = [*tokenize.generate_tokens(io.StringIO(LINE_END.sub("\n", text)).readline)]
    except (tokenize.TokenError, SyntaxError):
        return True
    # From Python 3.12 on, a text with expressions in it is several tokens.
    opened = [t for t in tokens if t.start[0] >= first and t.end[0] <= last]
    kinds = {"STRING", "FSTRING_MIDDLE", "FSTRING_START"}
    return any(t.start[0] != t.end[0] and tokenize.tok_name[t.type] in kinds for t in opened)
