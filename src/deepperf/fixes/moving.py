"""A statement at the end of a function, moved behind the call of that function."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from deepperf.fixes.positions import Lines, lines_of, parsed
from deepperf.fixes.statements import blocks, bound_in, delete_statement, insert_behind
from deepperf.records import Edit

_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.NamedExpr)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Definition = ast.FunctionDef | ast.AsyncFunctionDef


def move_behind(
    text: str, start: int, end: int, call: tuple[int, int], passed: Mapping[str, str]
) -> tuple[Edit, ...] | None:
    """Move the expression that the characters `start` to `end` are a statement of.

    Only `return name` may follow it in its function; the only call of that is `call`, the value
    of an assignment to a variable. `passed` has the variables that it passes for parameters. What
    the expression reads is then the result, what was passed, or of the file; None where it is not.
    """
    tree, lines = parsed(text), lines_of(text)
    source = text[start:end]
    if tree is None or "\n" in source or not source.isascii():
        return None
    outer, callers = _around(tree, lines, start), _around(tree, lines, call[0])
    given, result = _returned(tree, lines, (start, end)), _target(tree, lines, call)
    if not outer or given is None or result is None:
        return None
    inner = outer.pop()
    own = {*bound_in(inner)} - {inner.name}
    known = {name: to for name, to in passed.items() if name not in own and to != result}
    known[given] = result
    # What another function binds around one of the places is not what the other place reads.
    taken = {name for function in (*outer, *callers) for name in _local(function)}
    for name in {*_names(source)} - known.keys():
        if name in taken or name in _local(inner) - {inner.name}:
            return None
    moved = _renamed(source, known)
    deleted = delete_statement(text, start, end)
    added = insert_behind(text, *call, [moved]) if moved is not None else None
    return (deleted, added) if deleted is not None and added is not None else None


def _local(function: _Definition) -> set[str]:
    """The names that a function binds, its parameters and what stands inside of it included."""
    parameters = {one.arg for one in ast.walk(function) if isinstance(one, ast.arg)}
    return parameters.union(bound_in(function))


def _around(tree: ast.Module, lines: Lines, at: int) -> list[_Definition]:
    """The functions around a place, the innermost last."""
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, _DEFINITIONS) and lines.span(node)[0] <= at < lines.span(node)[1]
    ]
    return sorted(found, key=lambda node: lines.span(node)[0])


def _returned(tree: ast.Module, lines: Lines, place: tuple[int, int]) -> str | None:
    """The variable that is returned right behind a statement, as the end of its function."""
    for node in ast.walk(tree):
        body = node.body if isinstance(node, _DEFINITIONS) else []
        if len(body) > 1 and isinstance(body[-2], ast.Expr):
            last = body[-1]
            is_it = lines.span(body[-2].value) == place
            if is_it and isinstance(last, ast.Return) and isinstance(last.value, ast.Name):
                return last.value.id
    return None


def _target(tree: ast.Module, lines: Lines, call: tuple[int, int]) -> str | None:
    for block in blocks(tree):
        for one in block:
            if isinstance(one, ast.Assign) and lines.span(one.value) == call:
                target = one.targets[0]
                is_one = len(one.targets) == 1 and isinstance(target, ast.Name)
                return target.id if is_one and isinstance(target, ast.Name) else None
    return None


def _names(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source, mode="eval")):
        if isinstance(node, ast.Name):
            yield node.id


def _renamed(source: str, names: Mapping[str, str]) -> str | None:
    """An expression of one line with other names; None where it binds some itself."""
    nodes = [*ast.walk(ast.parse(source, mode="eval"))]
    if any(isinstance(node, _SCOPES) for node in nodes):
        return None
    read = [node for node in nodes if isinstance(node, ast.Name) and node.id in names]
    for node in sorted(read, key=lambda node: -node.col_offset):
        stop = node.col_offset + len(node.id)
        if source[node.col_offset : stop] != node.id:
            return None  # before Python 3.12, what stands in an f-string has no place
        source = source[: node.col_offset] + names[node.id] + source[stop:]
    return source
