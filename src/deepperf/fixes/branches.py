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


class _Choice(Struct, frozen=True):
    """An `if` with two arms, the last node that it takes in, and what stands before its value."""

    node: ast.If | ast.IfExp
    arms: tuple[ast.expr, ast.expr | str]
    last: ast.expr | ast.stmt
    before: str


def chosen(text: str, start: int, end: int, function: str) -> Chosen | None:
    """The `if` whose whole test the characters `start` to `end` are, as a call of `function` with
    the test and both arms.

    Each arm has to give the same name a value, or to return one, of names, numbers, operators and
    calls; whether these have effects is for the caller to know. None where it does more.
    """
    choice = _choice(text, start, end)
    if choice is None:
        return None
    trees = [arm for arm in choice.arms if isinstance(arm, ast.expr)]
    if not all(_is_plain(part) for arm in trees for part in ast.walk(arm)):
        return None
    lines = lines_of(text)
    given = [arm if isinstance(arm, str) else _text(text, lines, arm) for arm in choice.arms]
    return _written(text, choice, function, given)


def conditional(text: str, start: int, end: int, function: str) -> Chosen | None:
    """The same `if` as a call of `function` with the test, the functions that its arms call, and
    what both of them are passed: of the two, the one that is chosen runs.
    """
    choice = _choice(text, start, end)
    calls = [arm for arm in choice.arms if isinstance(arm, ast.Call)] if choice else []
    if choice is None or len(calls) != len(choice.arms) or any(call.keywords for call in calls):
        return None
    one, other = calls
    is_same = [*map(ast.dump, one.args)] == [*map(ast.dump, other.args)]
    parts = [one.func, other.func, *one.args]
    if not is_same or not one.args or not all(_is_name(part) for part in parts):
        return None
    lines = lines_of(text)
    first, second, *passed = (_text(text, lines, part) for part in parts)
    operands = ", ".join(passed) + ("," if len(passed) == 1 else "")
    return _written(text, choice, function, [first, second, f"({operands})"])


def either(text: str, start: int, end: int, function: str) -> Chosen | None:
    """The same `if` as a call of `function` with the test, a lambda for each arm, and the variables
    that these compute with: of the two, the one that is chosen runs.

    Whether the arms may be run so is for the caller to know.
    """
    choice = _choice(text, start, end)
    arms = [arm for arm in choice.arms if isinstance(arm, ast.expr)] if choice else []
    if choice is None or len(arms) != len(choice.arms):
        return None
    if not all(_is_plain(part) for arm in arms for part in ast.walk(arm)):
        return None
    names = sorted({name for arm in arms for name in _computed_with(arm)})
    if not names:
        return None
    lines = lines_of(text)
    passed = ", ".join(names) + ("," if len(names) == 1 else "")
    lambdas = [f"lambda {', '.join(names)}: {_text(text, lines, arm)}" for arm in arms]
    return _written(text, choice, function, [*lambdas, f"({passed})"])


def _computed_with(arm: ast.expr) -> Iterator[str]:
    """The variables of an expression, what it calls and the owners of attributes left out."""
    owners = {
        id(one.value) if isinstance(one, ast.Attribute) else id(one.func)
        for one in ast.walk(arm)
        if isinstance(one, (ast.Attribute, ast.Call))
    }
    names = (one for one in ast.walk(arm) if isinstance(one, ast.Name) and id(one) not in owners)
    yield from (one.id for one in names)


def _is_name(part: ast.expr) -> bool:
    """Whether it is a variable, or an attribute of one."""
    return isinstance(part, ast.Name) or (isinstance(part, ast.Attribute) and _is_name(part.value))


def _text(text: str, lines: Lines, node: ast.expr) -> str:
    return text[slice(*lines.span(node))]


def _choice(text: str, start: int, end: int) -> _Choice | None:
    tree = parsed(text)
    if tree is None:
        return None
    lines = lines_of(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.IfExp) and lines.span(node.test) == (start, end):
            return _Choice(node, (node.body, node.orelse), node, "")
    for block in blocks(tree):
        for number, statement in enumerate(block):
            if isinstance(statement, ast.If) and lines.span(statement.test) == (start, end):
                return _of_statement(tree, block[number:])
    return None


def _of_statement(tree: ast.Module, rest: list[ast.stmt]) -> _Choice | None:
    """The first of some statements of a block, an `if`, as one assignment or `return`."""
    node = rest[0]
    assert isinstance(node, ast.If)
    (body, *more), others = node.body, node.orelse or rest[1:2]
    if more or len(others) > 1:
        return None
    other = others[0] if others else None
    if isinstance(body, ast.Return) and isinstance(other, ast.Return):
        if body.value is None or other.value is None:
            return None
        last = node if node.orelse else other
        return _Choice(node, (body.value, other.value), last, "return ")
    name = _assigned(body)
    if name is None or not isinstance(body, ast.Assign):
        return None
    if node.orelse:
        if _assigned(other) != name or not isinstance(other, ast.Assign):
            return None
        return _Choice(node, (body.value, other.value), node, f"{name} = ")
    if name not in _bound_before(tree, node):
        return None
    return _Choice(node, (body.value, name), node, f"{name} = ")


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


def _written(text: str, choice: _Choice, function: str, given: list[str]) -> Chosen | None:
    lines = lines_of(text)
    start, end = lines.span(choice.node)[0], lines.span(choice.last)[1]
    if "#" in text[start:end] or text[start:].startswith("elif"):
        return None
    test = _text(text, lines, choice.node.test)
    whole = f"{choice.before}{function}({', '.join((test, *given))})"
    trees = [arm for arm in choice.arms if isinstance(arm, ast.expr)]
    return Chosen(Edit(start, end, whole), tuple(lines.span(arm) for arm in trees))


def _is_plain(part: ast.AST) -> bool:
    if isinstance(part, ast.Constant):
        return type(part.value) in (int, float)
    return isinstance(part, _PLAIN) and not isinstance(part, ast.MatMult)
