"""An `if` that chooses a value, written as one expression: both of its arms are then computed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct

from deepperf.fixes.positions import Lines, lines_of, parsed
from deepperf.fixes.statements import blocks
from deepperf.records import Edit

_PLAIN = (
    ast.Name,
    ast.Attribute,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.Call,
    ast.keyword,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
    ast.expr_context,
)


class Chosen(Struct, frozen=True):
    """The edit that makes an expression of an `if`, and the characters that its arms span."""

    edit: Edit
    arms: tuple[tuple[int, int], ...]


def chosen(text: str, start: int, end: int, function: str) -> Chosen | None:
    """The `if` whose whole test the characters `start` to `end` are, as a call of `function` with
    the test and both arms.

    Each arm has to give the same name a value, or to return one, of names, numbers, operators and
    calls; whether these have effects is for the caller to know. None where it does more.
    """
    tree = parsed(text)
    if tree is None:
        return None
    lines = lines_of(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.IfExp) and lines.span(node.test) == (start, end):
            return _written(text, lines, node, (node.body, node.orelse), node, "", function)
    for block in blocks(tree):
        for number, statement in enumerate(block):
            if isinstance(statement, ast.If) and lines.span(statement.test) == (start, end):
                return _of_statement(text, lines, tree, block[number:], function)
    return None


def _of_statement(
    text: str, lines: Lines, tree: ast.Module, rest: list[ast.stmt], function: str
) -> Chosen | None:
    """The first of some statements of a block, an `if`, as one assignment or `return`."""
    node = rest[0]
    assert isinstance(node, ast.If)
    (body, *more), others = node.body, node.orelse or rest[1:2]
    arms: tuple[ast.expr, ast.expr | str]
    if more or len(others) > 1:
        return None
    other = others[0] if others else None
    if isinstance(body, ast.Return) and isinstance(other, ast.Return):
        if body.value is None or other.value is None:
            return None
        arms = (body.value, other.value)
        last = node if node.orelse else other
        return _written(text, lines, node, arms, last, "return ", function)
    name = _assigned(body)
    if name is None or not isinstance(body, ast.Assign):
        return None
    if node.orelse:
        if _assigned(other) != name or not isinstance(other, ast.Assign):
            return None
        arms = (body.value, other.value)
    else:
        if name not in _bound_before(tree, node):
            return None
        arms = (body.value, name)
    return _written(text, lines, node, arms, node, f"{name} = ", function)


def _assigned(statement: ast.stmt | None) -> str | None:
    """The only name that a statement gives a value."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    return target.id if isinstance(target, ast.Name) else None


def _bound_before(tree: ast.Module, node: ast.If) -> Iterator[str]:
    """The parameters of the innermost function around a statement, and what it binds above."""
    functions = [
        one
        for one in ast.walk(tree)
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))
        and one.lineno <= node.lineno <= (one.end_lineno or one.lineno)
    ]
    inside = [*ast.walk(max(functions, key=lambda one: one.lineno, default=tree))]
    yield from (one.arg for one in inside if isinstance(one, ast.arg))
    above = (one for one in inside if isinstance(one, ast.Name) and one.lineno < node.lineno)
    yield from (one.id for one in above if isinstance(one.ctx, ast.Store))


def _written(
    text: str,
    lines: Lines,
    node: ast.If | ast.IfExp,
    arms: tuple[ast.expr, ast.expr | str],
    last: ast.expr | ast.stmt,
    before: str,
    function: str,
) -> Chosen | None:
    trees = [arm for arm in arms if isinstance(arm, ast.expr)]
    if not all(_is_plain(part) for arm in trees for part in ast.walk(arm)):
        return None
    start, end = lines.span(node)[0], lines.span(last)[1]
    if "#" in text[start:end] or text[start:].startswith("elif"):
        return None
    test = text[slice(*lines.span(node.test))]
    given = [arm if isinstance(arm, str) else text[slice(*lines.span(arm))] for arm in arms]
    whole = f"{before}{function}({', '.join((test, *given))})"
    return Chosen(Edit(start, end, whole), tuple(lines.span(arm) for arm in trees))


def _is_plain(part: ast.AST) -> bool:
    if isinstance(part, ast.Constant):
        return type(part.value) in (int, float)
    return isinstance(part, _PLAIN) and not isinstance(part, ast.MatMult)
