"""Turns the positions that Python reports into character offsets of the text."""

from __future__ import annotations

import ast
import functools
import re
import warnings

from msgspec import Struct

LINE_END = re.compile(r"\r\n|\r|\n")


class Lines(Struct, frozen=True):
    """A text and where its lines begin, in characters; the last entry is the text's length."""

    text: str
    starts: tuple[int, ...]

    def offset(self, line: int, byte_column: int) -> int:
        """The character offset of an `ast` position: line from 1, column in UTF-8 bytes."""
        start = self.starts[line - 1]
        stop = self.starts[line] if line < len(self.starts) else len(self.text)
        row = self.text[start:stop]
        if row.isascii():
            return start + byte_column
        return start + len(
            row.encode("utf-8", "surrogatepass")[:byte_column].decode("utf-8", "ignore")
        )

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """The characters that a node spans, the end exclusive."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self.offset(node.lineno, node.col_offset),
            self.offset(node.end_lineno, node.end_col_offset),
        )

    def line_of(self, offset: int) -> int:
        """The line, from 1, that holds the character at `offset`."""
        from bisect import bisect_right

        return bisect_right(self.starts, offset)


def lines_of(text: str) -> Lines:
    """The lines of `text`, ended as Python ends them."""
    return Lines(text, (0, *(match.end() for match in LINE_END.finditer(text))))


@functools.lru_cache(maxsize=8)  # all fixes of a file ask about its text
def parsed(text: str) -> ast.Module | None:
    """The tree of `text`, which nobody changes, or None if Python cannot parse it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def newline_of(text: str) -> str:
    """How the lines of `text` end, judged by the first."""
    match = LINE_END.search(text)
    return match[0] if match else "\n"
