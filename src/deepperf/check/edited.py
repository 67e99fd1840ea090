"""What an edit changed in a file, by its pieces: statements of the module, with what follows."""

from __future__ import annotations

import ast
import re
import zlib
from collections.abc import Iterator

from msgspec import Struct

_BEGINS = re.compile(r"^(?=[^\W\d]|@)(?!(?:else|elif|except|finally)\b)", re.MULTILINE)
_WORD = re.compile(r"\w+")
_DIGITS = 8


class Piece(Struct, frozen=True):
    """A part of a text that begins at the start of a line; `mark` stands for what it says."""

    text: str
    line: int
    mark: str


class Edit(Struct, frozen=True):
    """What is new in a file: the words of the new pieces, and whether the file only grew.

    It grew if it has all of its old pieces in their order and, beside these, whole functions and
    classes, whose names are `bound` and stand nowhere else in it.
    """

    words: frozenset[str]
    only_grew: bool
    bound: frozenset[str] = frozenset()


def marks_of(text: str) -> str:
    """The marks of a text's pieces, to be kept."""
    return "".join(piece.mark for piece in _pieces(text))


def edit_since(marks: str, text: str) -> Edit:
    """What is new in a text, of which the marks are known that it had."""
    before = [marks[at : at + _DIGITS] for at in range(0, len(marks), _DIGITS)]
    known = frozenset(before)
    pieces = list(_pieces(text))
    words = {w for piece in pieces if piece.mark not in known for w in _WORD.findall(piece.text)}
    added = list(pieces)
    waiting = iter(pieces)
    for mark in before:
        piece = next((piece for piece in waiting if piece.mark == mark), None)
        if piece is None:
            return Edit(frozenset(words), only_grew=False)
        added.remove(piece)
    words.update(w for piece in added for w in _WORD.findall(piece.text))
    bound = _definitions(text, added)
    rest = {w for piece in pieces if piece not in added for w in _WORD.findall(piece.text)}
    if bound is None or not bound.isdisjoint(rest):
        return Edit(frozenset(words), only_grew=False)
    return Edit(frozenset(words), only_grew=True, bound=bound)


def _pieces(text: str) -> Iterator[Piece]:
    starts = [match.start() for match in _BEGINS.finditer(text)]
    if not starts or starts[0]:
        starts.insert(0, 0)
    line = 1
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        part = text[start:end]
        mark = zlib.crc32(part.rstrip().encode("utf-8", "surrogatepass"))
        yield Piece(part, line, f"{mark:0{_DIGITS}x}")
        line += part.count("\n")


def _definitions(text: str, pieces: list[Piece]) -> frozenset[str] | None:
    """The names that pieces bind for the module; None for one that is more than definitions."""
    if not pieces:
        return frozenset()
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    bound: set[str] = set()
    for start, end in _spans(pieces):
        for statement in body:
            first = min([statement.lineno, *_decorated(statement)])
            last = statement.end_lineno or first
            if last < start or first >= end:
                continue
            if first < start or last >= end:
                return None
            if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                return None
            bound.add(statement.name)
            for part in ast.walk(statement):
                if isinstance(part, ast.Global):
                    bound.update(part.names)
    return frozenset(bound) or None


def _spans(pieces: list[Piece]) -> Iterator[tuple[int, int]]:
    """First lines of pieces, and the lines behind them; pieces in a row are one."""
    start = end = 0
    for piece in pieces:
        if piece.line != end:
            if end:
                yield start, end
            start = piece.line
        end = piece.line + len(piece.text.splitlines())
    yield start, end


def _decorated(statement: ast.stmt) -> list[int]:
    return [one.lineno for one in getattr(statement, "decorator_list", ())]
