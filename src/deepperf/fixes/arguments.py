"""Edits to the arguments of one call.

A call is given by the text and the characters `start` to `end` (exclusive) of the call
expression: `end` stands just behind its closing parenthesis. All functions answer None
where the call cannot be edited with certainty.
"""

from __future__ import annotations

import ast
import io
import tokenize
from itertools import pairwise
from typing import cast

from msgspec import Struct

from deepperf.fixes.positions import LINE_END, Lines, lines_of, newline_of
from deepperf.records import Edit

_BLANK = frozenset({tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.ENDMARKER})


class _Piece(Struct, frozen=True):
    """One argument: its keyword (None if positional, "*" or "**" if unpacked) and its text.

    `start` to `end` span the argument with keyword and parentheses, `value_start` to
    `value_end` the value; `comma` is the offset of the comma behind it, -1 without one.
    """

    keyword: str | None
    start: int
    end: int
    value_start: int
    value_end: int
    comma: int


class _Arguments(Struct, frozen=True):
    """The arguments of a call; offsets count from the start of the whole text."""

    opening: int
    closing: int
    pieces: tuple[_Piece, ...]


def add_keyword(text: str, start: int, end: int, name: str, value: str) -> Edit | None:
    """Add `name=value` as the last argument, in the style in which the call is laid out.

    None if the call has that keyword already.
    """
    found = _arguments(text, start, end)
    if found is None or any(p.keyword == name for p in found.pieces):
        return None
    addition = f"{name}={value}"
    if not found.pieces:
        return Edit(found.opening + 1, found.opening + 1, addition)
    last = found.pieces[-1]
    stop = last.end if last.comma < 0 else last.comma + 1
    separator = "," if last.comma < 0 else ""
    trailing = "" if last.comma < 0 else ","
    indent = _own_line_indent(text, last)
    closing_apart = bool(LINE_END.search(text, stop, found.closing))
    if indent is None or not (closing_apart or _one_per_line(text, found)):
        return Edit(stop, stop, f"{separator} {addition}{trailing if closing_apart else ''}")
    line_end = LINE_END.search(text, stop)
    if not closing_apart or line_end is None:
        return Edit(stop, stop, f"{separator}{newline_of(text)}{indent}{addition}{trailing}")
    comment = text[stop : line_end.start()]
    added = f"{separator}{comment}{line_end[0]}{indent}{addition}{trailing}"
    return Edit(stop, line_end.start(), added)


def replace_argument(text: str, start: int, end: int, which: str | int, value: str) -> Edit | None:
    """Replace the value of the keyword `which`, or of the positional argument number `which`.

    Positions count from 0. None if there is no such argument, or if it may be inside a `*`
    or `**` argument.
    """
    found = _arguments(text, start, end)
    piece = None if found is None else _piece(found, which)
    return None if piece is None else Edit(piece.value_start, piece.value_end, value)


def argument_text(text: str, start: int, end: int, which: str | int) -> str | None:
    """The text of an argument's value; None as with `replace_argument`."""
    found = _arguments(text, start, end)
    piece = None if found is None else _piece(found, which)
    return None if piece is None else text[piece.value_start : piece.value_end]


def pass_to(text: str, start: int, end: int, function: str) -> tuple[Edit, ...] | None:
    """Hand what is called, and its arguments, to a function: `f(x)` becomes `function(f, x)`."""
    found = _arguments(text, start, end)
    if found is None:
        return None
    comma = ", " if found.pieces else ""
    opening = Edit(found.opening, found.opening + 1, comma)
    return Edit(start, start, f"{function}("), opening


def remove_keyword(text: str, start: int, end: int, name: str) -> Edit | None:
    """Remove the keyword `name`, with its line where it has one of its own.

    None if the call has no such keyword, or a comment stands beside it.
    """
    found = _arguments(text, start, end)
    piece = None if found is None else _piece(found, name)
    if found is None or piece is None:
        return None
    number = found.pieces.index(piece)
    if number:
        before = found.pieces[number - 1]
        begin = before.end if before.comma < 0 else before.comma
        stop = piece.end if piece.comma < 0 or number + 1 < len(found.pieces) else piece.comma
    else:
        begin = piece.start
        stop = found.pieces[1].start if len(found.pieces) > 1 else max(piece.end, piece.comma + 1)
    return None if "#" in text[begin:stop] else Edit(begin, stop, "")


def call_object(text: str, start: int, end: int) -> Edit | None:
    """Call the object whose method is called; None if what is called is no attribute."""
    found = _call(text, start, end)
    if found is None or not isinstance(found[0].func, ast.Attribute):
        return None
    function, lines = found[0].func, found[1]
    stop = lines.span(function)[1] + start - 1
    return Edit(lines.span(function.value)[1] + start - 1, stop, "")


def _piece(found: _Arguments, which: str | int) -> _Piece | None:
    if isinstance(which, str):
        return next((p for p in found.pieces if p.keyword == which), None)
    positional = []
    for piece in found.pieces:
        if piece.keyword == "*":
            break
        if piece.keyword is None:
            positional.append(piece)
    return positional[which] if 0 <= which < len(positional) else None


def _call(text: str, start: int, end: int) -> tuple[ast.Call, Lines] | None:
    """The tree of the call between `start` and `end`, with its lines in parentheses."""
    snippet = f"({text[start:end]})"
    try:
        tree = ast.parse(snippet, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    is_call = isinstance(tree, ast.Call) and snippet.endswith("))")
    return (cast("ast.Call", tree), lines_of(snippet)) if is_call else None


def _arguments(text: str, start: int, end: int) -> _Arguments | None:
    """Parse the call between `start` and `end`."""
    snippet = f"({text[start:end]})"
    shift = start - 1
    parsed = _call(text, start, end)
    if parsed is None:
        return None
    tree, lines = parsed
    try:
        tokens = [
            token
            for token in tokenize.generate_tokens(io.StringIO(LINE_END.sub("\n", snippet)).readline)
            if token.type not in _BLANK
        ]
    except (SyntaxError, tokenize.TokenError):
        return None
    places = [(token.string, lines.starts[token.start[0] - 1] + token.start[1]) for token in tokens]
    closing = len(snippet) - 2
    function_end = lines.span(tree.func)[1]
    opening = next(
        (offset for string, offset in places if string == "(" and offset >= function_end), -1
    )
    if opening < 0 or any(lines.span(argument)[0] == opening for argument in tree.args):
        return None  # the parentheses of a lone generator are those of the call
    depth = 0
    commas = []
    for string, offset in places:
        if not opening < offset < closing:
            continue
        if string in ("(", "[", "{"):
            depth += 1
        elif string in (")", "]", "}"):
            depth -= 1
        elif string == "," and depth == 0 and not _inside_lambda(tree, lines, offset):
            commas.append(offset)
    pieces = _pieces(tree, lines, places, commas, opening, closing, shift)
    return None if pieces is None else _Arguments(opening + shift, closing + shift, pieces)


def _inside_lambda(tree: ast.Call, lines: Lines, offset: int) -> bool:
    """Whether a comma belongs to the parameters of a lambda rather than to the call."""
    values = [*tree.args, *(keyword.value for keyword in tree.keywords)]
    return any(begin <= offset < stop for begin, stop in map(lines.span, values))


def _pieces(
    tree: ast.Call,
    lines: Lines,
    places: list[tuple[str, int]],
    commas: list[int],
    opening: int,
    closing: int,
    shift: int,
) -> tuple[_Piece, ...] | None:
    values: list[tuple[str | None, int, int]] = []
    for argument in tree.args:
        if isinstance(argument, ast.Starred):
            values.append(("*", *lines.span(argument.value)))
        else:
            values.append((None, *lines.span(argument)))
    values.extend((k.arg or "**", *lines.span(k.value)) for k in tree.keywords)
    values.sort(key=lambda value: value[1])
    bounds = [opening, *commas, closing]
    slots = [
        (left, right)
        for left, right in pairwise(bounds)
        if any(left < offset < right for _, offset in places)
    ]
    if len(slots) != len(values):
        return None
    pieces = []
    for (keyword, value_start, value_end), (left, right) in zip(values, slots, strict=True):
        inside = [(string, offset) for string, offset in places if left < offset < right]
        first = inside[0][1]
        last = max(inside[-1][1] + len(inside[-1][0]), value_end)
        pieces.append(
            _Piece(
                keyword,
                first + shift,
                last + shift,
                value_start + shift,
                value_end + shift,
                right + shift if right != closing else -1,
            )
        )
    return tuple(pieces)


def _own_line_indent(text: str, piece: _Piece) -> str | None:
    """The blanks in front of an argument that begins its line, else None."""
    begin = max(text.rfind("\n", 0, piece.start), text.rfind("\r", 0, piece.start)) + 1
    before = text[begin : piece.start]
    return before if begin and not before.strip() else None


def _one_per_line(text: str, found: _Arguments) -> bool:
    """Whether each argument behind the first begins its own line."""
    return len(found.pieces) > 1 and all(
        _own_line_indent(text, piece) is not None for piece in found.pieces[1:]
    )
