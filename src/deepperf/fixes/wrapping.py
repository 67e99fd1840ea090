"""Edits that put a call, with the functions that it is passed, into one compiled function.

What these functions read from around them becomes a parameter, so that another value of it is no
other function. All functions answer None where the code cannot be moved with certainty.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import chain, count, islice

from msgspec import Struct

from deepperf.fixes.positions import LINE_END, Lines, lines_of, newline_of, parsed
from deepperf.fixes.statements import (
    INDENT,
    blocks,
    bound_in,
    indent_at,
    spans_lines_of_text,
    whole_lines,
)
from deepperf.records import Edit

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef)


class _Passed(Struct, frozen=True):
    """What the new function gets: a parameter, what is passed for it, and where that stood."""

    parameter: str
    argument: str
    span: tuple[int, int] | None


def wrap_call(
    text: str, start: int, end: int, captured: Sequence[str], decorator: str
) -> tuple[Edit, ...] | None:
    """Let a function, made once at module level, make the call from `start` to `end`.

    `captured` are the names of the function around it that what it is passed reads.
    """
    tree = parsed(text)
    if tree is None or LINE_END.search(text, start, end):
        return None
    lines = lines_of(text)
    top = next((one for one in tree.body if _is_around(lines, one, start, end)), None)
    call = _call(tree, lines, (start, end))
    if call is None or not isinstance(top, (*_SCOPES, ast.ClassDef)):
        return None
    taken = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} | {*bound_in(tree)}
    taken |= {one.arg for one in ast.walk(tree) if isinstance(one, ast.arg)}
    moved = _definitions(text, tree, lines, top, call)
    passed = _passed(text, lines, top, call, moved or (), taken) if moved is not None else None
    begin = _first_line(text, lines, top)
    if moved is None or passed is None or begin is None:
        return None
    given = [*passed, *(_Passed(name, name, None) for name in captured)]
    given = list({one.parameter: one for one in reversed(given)}.values())[::-1]
    called = _last(call.func)
    calls = (one for one in ast.walk(tree) if isinstance(one, ast.Call))
    alike = sorted(lines.span(one) for one in calls if _last(one.func) == called)
    # Each of several fixes of one file has a name of its own.
    name = _free(f"compiled_{called}", taken, alike.index((start, end)))
    newline = newline_of(text)
    inner = text[start:end]
    for one in sorted(
        (one for one in passed if one.span), key=lambda one: one.span or (), reverse=True
    ):
        assert one.span is not None
        inner = inner[: one.span[0] - start] + one.parameter + inner[one.span[1] - start :]
    rows = [f"@{decorator}", f"def {name}({', '.join(one.parameter for one in given)}):"]
    for definition in moved:
        rows += [*_shifted(text, lines, definition), ""]
    made = newline.join([*rows, f"{INDENT}return {inner}", "", "", ""])
    edits = [Edit(begin, begin, made)]
    edits += [Edit(*_with_gap(text, lines, one), "") for one in moved]
    arguments = ", ".join(one.argument for one in given)
    return (*edits, Edit(start, end, f"{name}({arguments})"))


def _is_around(lines: Lines, statement: ast.stmt, start: int, end: int) -> bool:
    span = lines.span(statement)
    return span[0] <= start and end <= span[1]


def _call(tree: ast.Module, lines: Lines, span: tuple[int, int]) -> ast.Call | None:
    calls = (one for one in ast.walk(tree) if isinstance(one, ast.Call))
    return next((one for one in calls if lines.span(one) == span), None)


def _definitions(
    text: str, tree: ast.Module, lines: Lines, top: ast.stmt, call: ast.Call
) -> tuple[ast.FunctionDef, ...] | None:
    """The functions that a call is passed by name, where nothing else reads them."""
    named = [one for one in ast.walk(call) if isinstance(one, ast.Name)]
    inner = {
        one.name: (one, block)
        for block in blocks(tree)
        for one in block
        if isinstance(one, ast.FunctionDef) and one is not top and _is_within(lines, one, top)
    }
    found = []
    for name in dict.fromkeys(one.id for one in named if one.id in inner):
        definition, block = inner[name]
        reads = [n for n in ast.walk(top) if isinstance(n, ast.Name) and n.id == name]
        place = whole_lines(text, lines.span(definition))
        is_alone = len(reads) == 1 and [*bound_in(top)].count(name) == 1
        if not is_alone or definition.decorator_list or place is None or len(block) < 2:
            return None
        if spans_lines_of_text(text, *place):
            return None
        found.append(definition)
    return tuple(sorted(found, key=lambda one: one.lineno))


def _is_within(lines: Lines, one: ast.stmt, top: ast.stmt) -> bool:
    return _is_around(lines, top, *lines.span(one))


def _passed(
    text: str,
    lines: Lines,
    top: ast.stmt,
    call: ast.Call,
    moved: Sequence[ast.FunctionDef],
    taken: set[str],
) -> list[_Passed] | None:
    """What a call is passed besides functions and literals."""
    own = {one.name for one in moved}
    local = {*bound_in(top)} | {one.arg for one in ast.walk(top) if isinstance(one, ast.arg)}
    found: list[_Passed] = []
    for value in (*call.args, *(one.value for one in call.keywords)):
        if isinstance(value, (ast.Lambda, ast.Constant)):
            continue
        if isinstance(value, ast.Name):
            if value.id in local - own:
                found.append(_Passed(value.id, value.id, None))
            continue
        if isinstance(value, ast.Starred) or not _is_positional(call, value):
            return None  # of an option, nobody knows whether an array would do
        span = lines.span(value)
        name = _free("operand", taken | {one.parameter for one in found})
        found.append(_Passed(name, text[slice(*span)], span))
    is_open = any(
        one.arg is None or (isinstance(one.value, ast.Name) and one.value.id not in own)
        for one in call.keywords
    )
    return None if is_open else found


def _is_positional(call: ast.Call, value: ast.expr) -> bool:
    return value in call.args


def _last(callee: ast.expr) -> str:
    return callee.attr if isinstance(callee, ast.Attribute) else getattr(callee, "id", "call")


def _free(name: str, taken: set[str], index: int = 0) -> str:
    """The name, or the first with a number, that is not taken; the one after `index` others."""
    names = chain((name,), (f"{name}_{number}" for number in count(2)))
    return next(islice((one for one in names if one not in taken), index, None))


def _shifted(text: str, lines: Lines, definition: ast.FunctionDef) -> Iterator[str]:
    """The lines of a definition, as they stand in the body of a function at module level."""
    place = whole_lines(text, lines.span(definition))
    assert place is not None
    here = indent_at(text, place[0])
    for row in LINE_END.sub("\n", text[slice(*place)]).removesuffix("\n").split("\n"):
        yield INDENT + row.removeprefix(here) if row.strip() else row


def _with_gap(text: str, lines: Lines, definition: ast.FunctionDef) -> tuple[int, int]:
    """The lines of a definition, with the empty ones that set it off from what follows."""
    place = whole_lines(text, lines.span(definition))
    assert place is not None
    stop = place[1]
    while stop < len(text) and (blank := LINE_END.match(text, stop)):
        stop = blank.end()
    return place[0], stop


def _first_line(text: str, lines: Lines, statement: ast.stmt) -> int | None:
    decorators: Sequence[ast.expr] = getattr(statement, "decorator_list", ())
    start = lines.span(decorators[0])[0] - 1 if decorators else lines.span(statement)[0]
    begin = lines.starts[lines.line_of(start) - 1]
    return begin if not text[begin:start].strip(" \t@") else None
