"""Python 2 text to text that a Python 3 parser reads, in memory only.

Every token that stays keeps its line and column. Where Python 3 needs more characters than
Python 2 had, they stand at the end of a line or in blanks; the few constructs without such
room move what follows on their line by one column.
"""

from __future__ import annotations

import re

from deepperf.semantics.text.layout import LogicalLine, Token, logical_lines

_BEFORE_STATEMENT = frozenset((";", ":"))
_BINARY_WORDS = frozenset(("in", "is", "and", "or", "if", "else", "for"))
_OCTAL = re.compile(r"0[0-7]+$")
_UNICODE_ESCAPE = re.compile(r"\\(?=[NuUx])")
_PREFIX = re.compile(r"\w*")
_AFTER_ASYNC = frozenset(("def", "for", "with"))
_AFTER_NAME = frozenset(("=", ")", ",", ":", ".", "]", "}", ";", "==", "!=", ""))
_BEFORE_NAME = frozenset((".", "def", "class", "import", "as", "global"))
_LAST = Token("op", "", -1, -1)


def repair(text: str) -> str:
    """The text with what only Python 2 accepts rewritten; the same text if there is none."""
    parts: list[str] = []
    done = 0
    for line in logical_lines(text):
        changes = _changes(line, text)
        for start, end, code in sorted(changes):
            if start >= done:
                parts += text[done:start], code
                done = end
    return "".join(parts) + text[done:] if parts else text


_Change = tuple[int, int, str]


def _changes(line: LogicalLine, text: str) -> list[_Change]:
    changes: list[_Change] = []
    tokens = line.tokens
    is_open = False  # the next backtick closes one
    for index, token in enumerate(tokens):
        if token.kind == "number":
            changes += _number(token)
        elif token.kind == "string":
            changes += _string(token)
        elif token.text == "`":
            changes.append((token.start, token.end, ")" if is_open else "("))
            is_open = not is_open
        elif token.text == "<>":
            changes.append((token.start, token.end, "!="))
        elif token.text in ("async", "await"):
            changes += _identifier(tokens, index)
        elif token.text == "lambda":
            changes += _tuple_parameters(tokens, index + 1, ":")
    for first, end in _statements(tokens):
        changes += _statement(tokens[first:end], text)
    return changes


def _statements(tokens: tuple[Token, ...]) -> list[tuple[int, int]]:
    """The simple statements and headers of a logical line, as ranges of its tokens."""
    found, first, depth, lambdas = [], 0, 0, 0
    for index, token in enumerate(tokens):
        if token.kind == "op" and token.text in "([{":
            depth += 1
        elif token.kind == "op" and token.text in ")]}":
            depth -= 1
        elif depth == 0 and token.text == "lambda":
            lambdas += 1
        elif depth == 0 and token.text == ":" and lambdas:
            lambdas -= 1
        elif depth == 0 and token.text in _BEFORE_STATEMENT:
            found.append((first, index + (token.text == ":")))
            first = index + 1
    found.append((first, len(tokens)))
    return [(start, end) for start, end in found if start < end]


def _statement(tokens: tuple[Token, ...], text: str) -> list[_Change]:
    match tokens[0].text:
        case "print":
            return _print(tokens, text)
        case "exec":
            return _exec(tokens, text)
        case "raise":
            return _raise(tokens, text)
        case "except":
            return _except(tokens, text)
        case "def":
            return _tuple_parameters(tokens, 3, ")")
    return []


def _print(tokens: tuple[Token, ...], text: str) -> list[_Change]:
    if len(tokens) == 1:
        return _closed(tokens[0], text, "()")
    word, after = tokens[:2]
    if after.text == ">>":
        blanks = (after.start, after.end, " " * len(after.text))
        return [*_opened(word, after), blanks, *_closed(tokens[-1], text)]
    starts_value = after.kind in ("string", "number") or after.text in ("`", "{", "~")
    if starts_value or (after.kind == "name" and after.text not in _BINARY_WORDS):
        return [*_opened(word, after), *_closed(tokens[-1], text)]
    return []


def _exec(tokens: tuple[Token, ...], text: str) -> list[_Change]:
    if len(tokens) == 1 or not (tokens[1].kind in ("string", "name") or tokens[1].text == "("):
        return []
    inside = _at_depth_zero(tokens, "in")
    if inside is None and tokens[1].text == "(":
        return []
    separator = [(inside.start, inside.end, ", ")] if inside else []
    if tokens[1].text == "(" and tokens[1].start == tokens[0].end:
        return [*separator]
    return [*_opened(*tokens[:2]), *separator, *_closed(tokens[-1], text)]


def _raise(tokens: tuple[Token, ...], text: str) -> list[_Change]:
    comma = _at_depth_zero(tokens, ",")
    if comma is None:
        return []
    return [(comma.start, comma.end, "("), *_closed(tokens[-1], text)]


def _except(tokens: tuple[Token, ...], text: str) -> list[_Change]:
    comma, colon = _at_depth_zero(tokens, ","), tokens[-1]
    if comma is None or colon.text != ":":
        return []
    target = tokens[tokens.index(comma) + 1 : -1]
    rest = re.match(r"[ \t]*(?:[#\r\n]|$)", text[colon.end : colon.end + 200])
    if len(target) != 1 or target[0].kind != "name" or rest is None:
        return [(comma.start, colon.start, " " * (colon.start - comma.start))]
    return [(comma.start, colon.start, f" as {target[0].text}")]


def _tuple_parameters(tokens: tuple[Token, ...], first: int, last: str) -> list[_Change]:
    """Parentheses around parameters are dropped: their names become parameters."""
    changes: list[_Change] = []
    depth, dropped = 0, 0
    for index in range(first, len(tokens)):
        token, before = tokens[index], tokens[index - 1].text
        if token.text == last and not depth and not dropped:
            break
        if token.text == "(" and not depth and before in ("(", ",", "lambda"):
            dropped += 1
            changes.append((token.start, token.end, " "))
        elif token.text == ")" and not depth and dropped:
            dropped -= 1
            changes.append((token.start, token.end, " "))
        elif token.kind == "op" and token.text in "([{":
            depth += 1
        elif token.kind == "op" and token.text in ")]}":
            depth -= 1
    return changes


def _identifier(tokens: tuple[Token, ...], index: int) -> list[_Change]:
    """`async` and `await` as names become names of the same length."""
    token = tokens[index]
    before = tokens[index - 1].text if index else ""
    after = tokens[index + 1] if index + 1 < len(tokens) else _LAST
    if token.text == "async":
        is_name = before in _BEFORE_NAME or after.text not in _AFTER_ASYNC
    else:
        is_name = before in _BEFORE_NAME or after.text in _AFTER_NAME
    if is_name:
        return [(token.start, token.end, token.text[:-1] + "_")]
    return []


def _number(token: Token) -> list[_Change]:
    digits = token.text.rstrip("lL")
    if _OCTAL.match(digits):
        digits = str(int(digits, 8)).rjust(len(digits))
    if digits == token.text:
        return []
    return [(token.start, token.end, digits.ljust(len(token.text)))]


def _string(token: Token) -> list[_Change]:
    found = _PREFIX.match(token.text)
    prefix = found[0].lower() if found else ""
    if prefix == "ur":
        return [(token.start, token.start + 1, " ")]
    if prefix in ("", "b") and _UNICODE_ESCAPE.search(token.text) and not _is_valid(token.text):
        return [(token.start, token.end, _UNICODE_ESCAPE.sub("/", token.text))]
    return []


def _is_valid(literal: str) -> bool:
    """Whether the escapes in a string literal mean characters in Python 3."""
    from deepperf.semantics.text.syntax import parse_strictly

    return not isinstance(parse_strictly(f"({literal})"), Exception)


def _at_depth_zero(tokens: tuple[Token, ...], text: str) -> Token | None:
    depth = 0
    for token in tokens:
        if token.kind == "op" and token.text in "([{":
            depth += 1
        elif token.kind == "op" and token.text in ")]}":
            depth -= 1
        elif depth == 0 and token.text == text:
            return token
    return None


def _opened(word: Token, after: Token) -> list[_Change]:
    """A parenthesis behind a keyword, in the place of a blank where there is one."""
    return [(word.end, word.end + (after.start > word.end), "(")]


def _closed(last: Token, text: str, code: str = ")") -> list[_Change]:
    """A parenthesis behind the last token of a statement, paid for with a blank near it."""
    blanks = re.compile(r"[ \t]*").match(text, last.end)
    end = blanks.end() if blanks else last.end
    if end > last.end:
        return [(last.end, min(end, last.end + len(code)), code)]
    if text[end : end + 2] == "; ":
        return [(end, end + 2, f"{code};")]
    return [(last.end, last.end, code)]
