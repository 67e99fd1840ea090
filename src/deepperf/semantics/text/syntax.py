"""Text to syntax tree, whatever the text: the one place that calls the parser."""

from __future__ import annotations

import ast
import itertools
import re
import warnings

from msgspec import Struct

from deepperf.semantics.text.room import with_room_if_needed

_CONTINUATION_BYTES = bytes(range(0x80, 0xC0))
_NEWLINE = re.compile(r"\r\n|\r|\n")


class Syntax(Struct, frozen=True):
    """The tree of a text and what of the text is missing in it.

    Lines of nodes count from 1, their columns are UTF-8 byte offsets from 0, as in `ast`;
    both are true of the original text (the end of a repaired statement may lie a few
    columns behind the end of its line). `failures` are (line, column, message), counted
    from 1 in characters, one per statement that was lost, in the order of the text.
    `repaired` says that the text was read as Python 2, so that fixes must leave it alone.
    """

    tree: ast.Module
    failures: tuple[tuple[int, int, str], ...] = ()
    repaired: bool = False


def parse(text: str) -> Syntax:
    """The tree of any text; never raises.

    Valid Python 3 costs one call of the parser. Else Python 2 is repaired in memory, and
    what then still does not parse costs the smallest statement around it.
    """
    tree = parse_strictly(text)
    if isinstance(tree, ast.Module):
        return Syntax(tree)
    from deepperf.semantics.text.salvage import salvage

    found = salvage(text)
    return Syntax(found.tree, found.failures, found.repaired)


def parse_strictly(text: str) -> ast.Module | Exception:
    """The tree of valid text, else the parser's error, as a value."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = with_room_if_needed(lambda: _compiled(text))
    except (SyntaxError, ValueError, OverflowError, MemoryError, RecursionError, SystemError) as e:
        return e.with_traceback(None)
    return tree


def _compiled(text: str) -> ast.Module:
    # Unlike ast.parse, this stays free of an import of our own __future__ flags.
    tree = compile(text, "<text>", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Module)
    return tree


def line_starts(text: str) -> list[int]:
    """Where each line begins, as the parser counts lines: \\n, \\r\\n and \\r end one."""
    if "\r" in text:
        return [0, *(found.end() for found in _NEWLINE.finditer(text))]
    lengths = (len(line) + 1 for line in text.split("\n"))
    return list(itertools.accumulate(lengths, initial=0))[:-1]


def character_column(line_text: str, utf8_offset: int) -> int:
    """The column in characters, from 0, of a column that `ast` gave in UTF-8 bytes."""
    if line_text.isascii():
        return utf8_offset
    head = line_text.encode("utf-8", "surrogatepass")[:utf8_offset]
    return len(head.translate(None, _CONTINUATION_BYTES))
