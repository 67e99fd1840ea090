"""Tells the same finding again after code was moved, reformatted or renamed."""

from __future__ import annotations

import ast
import hashlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from msgspec import Struct

from deepperf.fixes.positions import parsed
from deepperf.records import Finding
from deepperf.semantics.text.tree import walk

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases", "decorator_list")
"""What a statement holds besides its head: a change there is not one of the head."""
_UNSAID = frozenset({"ctx", "kind", "type_comment", "type_ignores"})
_MOST_BITS = 10_000


class _Statement(Struct, frozen=True):
    """A statement's node, where it begins and ends, and the functions and classes around it.

    It begins at a line and a column in UTF-8 bytes, with its decorators.
    """

    node: ast.stmt
    begin: tuple[int, int]
    last: int
    scope: str


def identified(text: str, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings, in order of place, with digests of what they are about.

    `statement` is a digest of the rule and of the head of the statement, as a tree in which the
    file's own names are numbers; `fingerprint` is also of the names of the functions and classes
    around it, and of how many such findings stand before it. Lines count in `text`.
    """
    ordered = sorted(findings)
    if not ordered:
        return ()
    statements, own = _parsed(text)
    met: Counter[tuple[str, ...]] = Counter()
    return tuple(_identified(finding, statements, own, met) for finding in ordered)


def _identified(
    finding: Finding,
    statements: list[_Statement],
    own: frozenset[str],
    met: Counter[tuple[str, ...]],
) -> Finding:
    line, column = finding.location.line, finding.location.column
    before = finding.source_line[: column - 1].encode("utf-8", "surrogatepass")
    end = bisect_right(statements, (line, len(before)), key=lambda one: one.begin)
    inmost = next(
        (statements[at] for at in range(end - 1, -1, -1) if line <= statements[at].last), None
    )
    if inmost:
        scope, written = inmost.scope, _written(inmost.node, own)
    else:
        scope, written = "", "".join(finding.source_line.split())
    parts = (finding.rule, scope, written)
    met[parts] += 1
    fingerprint = _digest(*parts, str(met[parts]))
    return replace(finding, fingerprint=fingerprint, statement=_digest(finding.rule, written))


def _digest(*parts: str) -> str:
    data = "\0".join(parts).encode("utf-8", "backslashreplace")
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _parsed(text: str) -> tuple[list[_Statement], frozenset[str]]:
    """The statements of a text in order, and the names that it gives; none if it does not parse."""
    tree = parsed(text)
    if tree is None:
        return [], frozenset()
    statements = sorted(_statements(tree), key=lambda one: one.begin)
    return statements, frozenset(_own_names(tree))


def _statements(tree: ast.Module) -> Iterator[_Statement]:
    pending: list[tuple[ast.stmt, str]] = [(node, "") for node in tree.body]
    while pending:
        node, scope = pending.pop()
        begin = node.lineno, node.col_offset
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            scope = f"{scope}.{node.name}" if scope else node.name
            begin = min((begin, *((one.lineno, 0) for one in node.decorator_list)))
        yield _Statement(node, begin, node.end_lineno or node.lineno, scope)
        for part in (node, *getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            for block in ("body", "orelse", "finalbody"):
                pending += ((inner, scope) for inner in getattr(part, block, ()))


def _own_names(tree: ast.AST) -> Iterator[str]:
    for node in walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


def _literal(value: object) -> str:
    # Python writes no number of thousands of digits in decimal.
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return hex(value)
    return repr(value)


def _written(statement: ast.stmt, own: frozenset[str]) -> str:
    """The head of a statement, the same in every version of Python."""
    numbers: dict[str, int] = {}

    def name(word: str) -> str:
        return f"${numbers.setdefault(word, len(numbers))}" if word in own else word

    def write(value: object) -> str:
        if isinstance(value, list):
            return f"[{','.join(map(write, value))}]"
        if isinstance(value, ast.Name | ast.arg):
            return name(value.id if isinstance(value, ast.Name) else value.arg)
        if isinstance(value, ast.Constant):
            return _literal(value.value)
        if not isinstance(value, ast.AST):
            return str(value)
        fields = [
            f"{key}={write(part)}"
            for key, part in ast.iter_fields(value)
            if key not in _UNSAID
            and part not in (None, [])
            and not (value is statement and key in (*_BLOCKS, "name"))
        ]
        return f"{type(value).__name__}({','.join(fields)})"

    return write(statement)
