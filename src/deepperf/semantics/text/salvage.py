"""The tree of text that the parser rejects, at the price of the statements at fault.

The text is cut into its statements by indentation alone. A group of statements (a compound
statement with its clauses and decorators) that does not parse by itself is taken apart: its
headers are mended, its bodies salvaged in turn, and a simple statement becomes `pass`. Each
level of nesting parses its text at most a few times, so the cost is linear in the text.
Lines and columns stay true because replaced text is filled up with blanks.
"""

from __future__ import annotations

import ast
import bisect
import itertools
import re
from collections import Counter
from collections.abc import Iterator

from msgspec import Struct, field

from deepperf.semantics.text import python2
from deepperf.semantics.text.layout import LogicalLine, indentation_width, logical_lines
from deepperf.semantics.text.syntax import line_starts, parse_strictly

_MOST_FAILURES = 100
_DEEPEST_BLOCK = 60
_CLAUSES = frozenset(("elif", "else", "except", "finally"))
_STUBS = {"elif": "if 1:\n {0}pass\n", "else": "if 1:\n {0}pass\n"}
_TRY_STUB = "try:\n {0}pass\n"
_MENDED_HEADERS = (
    (re.compile(r"(?:async[ \t]+)?def[ \t]+([^\W\d]\w*)"), "def {0}():"),
    (re.compile(r"class[ \t]+([^\W\d]\w*)"), "class {0}:"),
    (re.compile(r"elif\b"), "elif 1:"),
    (re.compile(r"else\b"), "else:"),
    (re.compile(r"except\b"), "except:"),
    (re.compile(r"finally\b"), "finally:"),
    (re.compile(r"try\b"), "try:"),
    (re.compile(r"case\b"), "case _:"),
)
_MATCH_HEADER = re.compile(r"match\b.*:\s*(?:#.*)?$", re.DOTALL)
_POSITIONED = (
    *(ast.stmt, ast.expr, ast.excepthandler, ast.arg),
    *(ast.keyword, ast.alias, ast.pattern),
)
_VISIBLE = re.compile(r"[^\r\n]")
_LINE_JOIN = re.compile(r"\\(?=[\r\n]|$)")


class Salvaged(Struct, frozen=True):
    """The tree, what was lost as (line, column, message), and whether Python 2 was read."""

    tree: ast.Module
    failures: tuple[tuple[int, int, str], ...]
    repaired: bool


class _Pieces(Struct):
    """The text cut at the starts of its logical lines; pieces are replaced one by one."""

    lines: list[LogicalLine]
    texts: list[str]
    head: str
    starts: list[int]
    failures: list[tuple[int, int, str]] = field(default_factory=list)


class _Node(Struct, frozen=True):
    """Logical line `first` and, up to `end`, the deeper ones below it."""

    first: int
    end: int


def salvage(text: str) -> Salvaged:
    """The tree of any text; never raises."""
    plain, failures = _without_unparsable_characters(text)
    repaired = python2.repair(plain)
    tree = parse_strictly(repaired)
    if isinstance(tree, ast.Module):
        return Salvaged(tree, tuple(failures), repaired != plain)
    found = _salvage_statements(repaired)
    is_repaired = repaired != plain
    if is_repaired:
        # Text that is no Python 2 either: the repair may have cost more than it gave.
        unrepaired = _salvage_statements(plain)
        if len(unrepaired[1]) <= len(found[1]):
            found, is_repaired = unrepaired, False
    lost = sorted({*failures, *found[1]})
    if len(lost) > _MOST_FAILURES:
        line, column, _ = lost[_MOST_FAILURES - 1]
        more = f"{len(lost) - _MOST_FAILURES + 1} more statements are left out"
        lost[_MOST_FAILURES - 1 :] = [(line, column, more)]
    return Salvaged(found[0], tuple(lost), is_repaired)


def _without_unparsable_characters(text: str) -> tuple[str, list[tuple[int, int, str]]]:
    """The text without null bytes and lone surrogates, which are nothing to the parser."""
    failures = []
    null = text.find("\0")
    if null >= 0:
        starts = line_starts(text)
        line = bisect.bisect_right(starts, null)
        failures.append((line, null - starts[line - 1] + 1, "null bytes, read as blanks"))
        text = text.replace("\0", " ")
    # Three bytes in UTF-8, like a surrogate, so that columns in bytes stay true.
    return re.sub("[\ud800-\udfff]", "\ufffd", text), failures


def _salvage_statements(text: str) -> tuple[ast.Module, list[tuple[int, int, str]]]:
    text, added_columns = _untabbed(text)
    lines = list(logical_lines(text))
    cuts = [line.start for line in lines] + [len(text)]
    texts = [text[start:end] for start, end in itertools.pairwise(cuts)]
    head = _LINE_JOIN.sub(" ", text[: cuts[0]])
    pieces = _Pieces(lines, texts, head, line_starts(text))
    _salvage_block(pieces, 0, len(lines), depth=0, header="")
    tree = parse_strictly(pieces.head + "".join(pieces.texts))
    if not isinstance(tree, ast.Module):
        return ast.Module(body=[], type_ignores=[]), [
            (1, 1, f"no statement can be read: {_reason(tree)}")
        ]
    if added_columns:
        _shift_columns(tree, added_columns)
    return tree, [
        (line, max(1, column - added_columns.get(line, 0)), said)
        for line, column, said in pieces.failures
    ]


def _untabbed(text: str) -> tuple[str, dict[int, int]]:
    """The text with tabs in mixed indentation expanded as Python 2 did.

    Also the columns added, by line number from 1.
    """
    if not re.search(r"^[ \f]*\t", text, re.MULTILINE):
        return text, {}
    starts = line_starts(text)
    parts: list[str] = []
    added: dict[int, int] = {}
    end = 0
    for line in logical_lines(text):
        blanks = text[line.start : line.code_start]
        if "\t" in blanks and blanks.isspace() and "\n" not in blanks and "\r" not in blanks:
            width = indentation_width(blanks)
            parts += text[end : line.start], " " * width
            end = line.code_start
            added[bisect.bisect_right(starts, line.start)] = width - len(blanks)
    return "".join(parts) + text[end:], added


def _shift_columns(tree: ast.Module, added: dict[int, int]) -> None:
    for node in ast.walk(tree):
        if isinstance(node, _POSITIONED):
            node.col_offset = max(0, node.col_offset - added.get(node.lineno, 0))
            if node.end_lineno is not None and node.end_col_offset is not None:
                shift = added.get(node.end_lineno, 0)
                node.end_col_offset = max(0, node.end_col_offset - shift)


def _salvage_block(pieces: _Pieces, first: int, end: int, depth: int, header: str) -> None:
    """Mend the statements of one block in place; `header` is what must stand above them."""
    for group in _groups(pieces, first, end):
        error = _error_of(pieces, group[0].first, group[-1].end, header)
        if error is not None:
            _salvage_group(pieces, group, depth, header, error)


def _groups(pieces: _Pieces, first: int, end: int) -> Iterator[list[_Node]]:
    """The statements of a block: decorators and clauses stay with what they belong to."""
    group: list[_Node] = []
    for node in _nodes(pieces, first, end):
        word = _first_word(pieces, node)
        decorated = bool(group) and _first_word(pieces, group[-1]) == "@"
        if group and word not in _CLAUSES and not decorated:
            yield group
            group = []
        group.append(node)
    if group:
        yield group


def _nodes(pieces: _Pieces, first: int, end: int) -> list[_Node]:
    """The lines at the block's own indentation; those at another one are given up."""
    if first == end:
        return []
    lines = pieces.lines
    running, shallowest = Counter[int](), lines[first].column
    for line in lines[first:end]:
        if line.column <= shallowest:
            shallowest = line.column
            running[shallowest] += 1
    column = 0 if first == 0 and end == len(lines) else running.most_common(1)[0][0]
    nodes = []
    index = first
    while index < end:
        after = index + 1
        while after < end and lines[after].column > min(column, lines[index].column):
            after += 1
        if lines[index].column == column:
            nodes.append(_Node(index, after))
        else:
            _lose(pieces, index, after, "", "unexpected indentation")
        index = after
    return nodes


def _salvage_group(
    pieces: _Pieces, group: list[_Node], depth: int, header: str, error: Exception
) -> None:
    first, end = group[0].first, group[-1].end
    column = pieces.lines[first].column
    if end - first == 1 or depth > _DEEPEST_BLOCK:
        _lose(pieces, first, end, "pass", _reason(error))
        return
    for node in group:
        is_compound = node.end > node.first + 1
        wrong = _header_error(pieces, node, column, header)
        if wrong is not None:
            mended = _mended_header(pieces, node)
            _replace(pieces, node.first, mended if is_compound else f"{mended}0", _reason(wrong))
        elif is_compound and not _opens_block(pieces, node):
            _lose(pieces, node.first + 1, node.end, "", "unexpected indentation")
            continue
        inner = ""
        if _MATCH_HEADER.match(pieces.texts[node.first].strip()):
            inner = "match 0:\n"
        _salvage_block(pieces, node.first + 1, node.end, depth + 1, inner)
    if (left := _error_of(pieces, first, end, header)) is None:
        return
    if len(group) == 1 and _first_word(pieces, group[0]) == "try":
        _replace(pieces, first, "if 1:", _reason(left))
    elif _first_word(pieces, group[0]) in _CLAUSES:
        for node in group:
            _replace(pieces, node.first, "if 1:", _reason(left))
    if (left := _error_of(pieces, first, end, header)) is not None:
        _lose(pieces, first, end, "pass", _reason(left))


def _error_of(pieces: _Pieces, first: int, end: int, header: str) -> Exception | None:
    text = "".join(pieces.texts[first:end])
    if pieces.lines[first].column:
        text = (header or "if 1:\n") + text
    result = parse_strictly(text)
    return None if isinstance(result, ast.Module) else result


def _header_error(pieces: _Pieces, node: _Node, column: int, header: str) -> Exception | None:
    """What is wrong with a header, or a simple statement, seen without its body."""
    indent = " " * column
    text = pieces.texts[node.first].rstrip("\r\n")
    word = _first_word(pieces, node)
    if word in _CLAUSES:
        text = indent + _STUBS.get(word, _TRY_STUB).format(indent) + text
    if _opens_block(pieces, node):
        inner = "case _:pass" if _MATCH_HEADER.match(text.strip()) else "pass"
        text += f"\n{indent} {inner}\n"
    elif word == "@":
        text += f"\n{indent}def f():pass\n"
    if word == "try":
        text += f"\n{indent}finally:pass\n"
    if column:
        text = (header or "if 1:\n") + text
    result = parse_strictly(text)
    return None if isinstance(result, ast.Module) else result


def _opens_block(pieces: _Pieces, node: _Node) -> bool:
    line = pieces.lines[node.first]
    return node.end > node.first + 1 and line.tokens[-1].text == ":"


def _first_word(pieces: _Pieces, node: _Node) -> str:
    return pieces.lines[node.first].tokens[0].text


def _mended_header(pieces: _Pieces, node: _Node) -> str:
    line = pieces.lines[node.first]
    code = pieces.texts[node.first][line.code_start - line.start :]
    for pattern, replacement in _MENDED_HEADERS:
        if found := pattern.match(code):
            return replacement.format(*found.groups())
    return "if 1:"


def _replace(pieces: _Pieces, index: int, code: str, reason: str) -> None:
    """Put `code` in the place of a logical line, blanks and newlines kept."""
    line, text = pieces.lines[index], pieces.texts[index]
    begin = line.code_start - line.start
    stop = line.end - line.start
    number = bisect.bisect_right(pieces.starts, line.code_start)
    column = line.code_start - pieces.starts[number - 1] + 1
    blanked = _VISIBLE.sub(" ", text[begin:stop])
    room = len(blanked.partition("\n")[0].partition("\r")[0])
    if code == "pass" and room < len(code):
        code = "0"
    rest = blanked[min(len(code), room) :] + _LINE_JOIN.sub(" ", text[stop:])
    pieces.texts[index] = text[:begin] + code + rest
    if reason:
        pieces.failures.append((number, column, reason))


def _lose(pieces: _Pieces, first: int, end: int, code: str, reason: str) -> None:
    _replace(pieces, first, code, reason)
    for index in range(first + 1, end):
        _replace(pieces, index, "", "")


def _reason(error: Exception) -> str:
    if isinstance(error, SyntaxError):
        return re.sub(r" ?\((?:detected at line|<text>).*?\)| on line \d+", "", error.msg)
    if isinstance(error, (RecursionError, MemoryError)):
        return "it is nested too deeply"
    return str(error) or type(error).__name__
