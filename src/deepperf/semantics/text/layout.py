"""The logical lines of Python text, valid or not: a tolerant lexer for what `ast` rejects.

Nothing here raises on any text, and the cost is linear in its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct

_TOKEN = re.compile(
    r"""
      [ \t\f]+
    | (?P<string>(?i:[bruft]|br|rb|ur|fr|rf|tr|rt)?(?:\"\"\"|'''|"|'))
    | (?P<comment>\#[^\r\n]*)
    | (?P<join>\\(?:\r\n|\r|\n))
    | (?P<newline>\r\n|\r|\n)
    | (?P<name>[^\W\d]\w*)
    | (?P<number>0[xX][0-9a-fA-F_]+[lL]?|\.?\d(?:[\w.]|(?<=[eE])[+-])*)
    | (?P<op><>|>>=?|<<=?|[<>!=]=|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_STRING_ENDS = {
    '"': re.compile(r'[^"\\\r\n]*(?:\\(?:\r\n|.)[^"\\\r\n]*)*"', re.DOTALL),
    "'": re.compile(r"[^'\\\r\n]*(?:\\(?:\r\n|.)[^'\\\r\n]*)*'", re.DOTALL),
    '"""': re.compile(r'[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""', re.DOTALL),
    "'''": re.compile(r"[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''", re.DOTALL),
}
_LINE_END = re.compile(r"[^\r\n]*")
_NEVER_IN_EXPRESSION = frozenset(
    ("def", "class", "import", "while", "try", "with", "return", "raise", "del", "pass")
) | frozenset(("break", "continue", "global", "assert", "except", "finally", "elif"))


class Token(NamedTuple):
    """A stretch of text; `kind` is string, name, number or op."""

    kind: str
    text: str
    start: int
    end: int


class LogicalLine(Struct, frozen=True):
    """One statement, or one header of a compound statement.

    `start` is where its first physical line begins, `end` is after its last token, `column`
    the indentation with tabs at multiples of eight. `tokens` leaves out comments and line
    joins, and is never empty.
    """

    start: int
    end: int
    column: int
    tokens: tuple[Token, ...]

    @property
    def code_start(self) -> int:
        return self.tokens[0].start


def logical_lines(text: str, start: int = 0) -> Iterator[LogicalLine]:
    """The logical lines from `start`, which must begin a physical line.

    An error stays where it is: a quote that is never closed ends with its line, and a
    bracket that is never closed, or still open where a line begins with a word that no
    expression can hold, ends before the next line that is not indented deeper.
    """
    position = line_start = start
    tokens: list[Token] = []
    depth = 0
    fresh = True  # no token yet on this physical line
    unclosed: set[str] = set()
    strict_until = start  # up to here an open bracket is known to stay open
    while True:
        found = _TOKEN.match(text, position)
        if found is None:
            if not depth or line_start < strict_until:
                break
            position, strict_until = line_start, len(text)
            tokens, depth, fresh = [], 0, True
            continue
        kind = found.lastgroup
        begin, position = position, found.end()
        if kind is None or kind == "comment":
            continue
        if kind == "join":
            fresh = False
            continue
        if kind == "newline":
            if tokens and not depth:
                yield _logical_line(text, line_start, tokens)
                tokens = []
            if not tokens:
                line_start = position
            fresh = True
            continue
        if kind == "string":
            position = _string_end(text, position, found[0].lstrip("bBrRuUfFtT"), unclosed)
        word = text[begin:position]
        if depth and fresh:
            here = max(text.rfind("\n", 0, begin), text.rfind("\r", 0, begin)) + 1
            is_start = word in _NEVER_IN_EXPRESSION
            if line_start >= strict_until:
                if is_start:
                    position, strict_until = line_start, here
                    tokens, depth = [], 0
                    continue
            elif is_start or _is_outside(text, word, (here, begin), (line_start, tokens[0].start)):
                yield _logical_line(text, line_start, tokens)
                tokens, depth, line_start = [], 0, here
        fresh = False
        tokens.append(Token(kind, word, begin, position))
        if kind == "op":
            if word in "([{":
                depth += 1
            elif word in ")]}" and depth:
                depth -= 1
    if tokens:
        yield _logical_line(text, line_start, tokens)


def _logical_line(text: str, start: int, tokens: list[Token]) -> LogicalLine:
    column = indentation_width(text[start : tokens[0].start])
    return LogicalLine(start, tokens[-1].end, column, tuple(tokens))


def _is_outside(text: str, word: str, here: tuple[int, int], first: tuple[int, int]) -> bool:
    """Whether a line, by its leading blanks, is no continuation of a statement's first line."""
    if word in (")", "]", "}"):
        return False
    return indentation_width(text[slice(*here)]) <= indentation_width(text[slice(*first)])


def indentation_width(blanks: str) -> int:
    """The column after leading blanks: tabs go to multiples of eight, form feeds to zero."""
    return len(blanks.rpartition("\f")[2].expandtabs(8))


def _string_end(text: str, position: int, quote: str, unclosed: set[str]) -> int:
    if quote not in unclosed:
        if closed := _STRING_ENDS[quote].match(text, position):
            return closed.end()
        if len(quote) == 3:
            unclosed.add(quote)  # no later one is closed either: search the rest only once
    end = _LINE_END.match(text, position)
    return end.end() if end else position
