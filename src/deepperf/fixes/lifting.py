"""Edits that move what makes a function to where it is made once.

A place is given by characters of the text: of the expression that makes a function, of the
decorator of one that is defined, or of the name of one that is defined in the same loop. All
functions answer None where the code cannot be moved with certainty.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence, Set
from itertools import chain, count

from msgspec import Struct

from deepperf.fixes.positions import LINE_END, Lines, lines_of, newline_of, parsed
from deepperf.fixes.statements import (
    bound_in,
    indent_at,
    spans_lines_of_text,
    whole_lines,
)
from deepperf.records import Edit

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BUILTIN = frozenset(vars(builtins))


class _Carrier(Struct, frozen=True):
    """What is moved, and the statements around it, the outermost first.

    `statement` is moved whole where it has a name; else `value` is, and gets the name.
    """

    around: tuple[ast.stmt, ...]
    statement: ast.stmt
    value: ast.expr | None
    name: str


def lift_before(text: str, start: int, end: int, loop: int) -> tuple[Edit, ...] | None:
    """Make a function once, before the loop that begins at `loop`."""
    tree = parsed(text)
    if tree is None:
        return None
    lines = lines_of(text)
    carrier = _carrier(tree, lines, (start, end))
    if carrier is None:
        return None
    depth = next(
        (
            index
            for index, one in enumerate(carrier.around)
            if isinstance(one, _LOOPS) and lines.span(one)[0] == loop
        ),
        None,
    )
    if depth is None:
        return None
    around = carrier.around[depth]
    conditional = any(not isinstance(one, _LOOPS) for one in carrier.around[depth + 1 :])
    stored = [*bound_in(around)]
    reads = {*_read_at_once(carrier), *_read_later(carrier)}
    if conditional or not reads.isdisjoint(stored) or _rests_on_more(tree, carrier, reads):
        return None
    if carrier.value is None and not _is_first_and_alone(carrier, around, lines, stored):
        return None
    return _moved(text, tree, lines, carrier, around)


def lift_to_module(text: str, start: int, end: int) -> tuple[Edit, ...] | None:
    """Make a function once, before the definition of the function that makes it in each call."""
    tree = parsed(text)
    if tree is None:
        return None
    lines = lines_of(text)
    carrier = _carrier(tree, lines, (start, end))
    if carrier is None or not any(isinstance(one, _SCOPES[:2]) for one in carrier.around):
        return None
    top = carrier.around[0]
    depth = max(i for i, one in enumerate(carrier.around) if isinstance(one, _SCOPES[:2]))
    known = {name for one in tree.body[: tree.body.index(top)] for name in _bound_at(one)}
    everywhere = {name for one in tree.body for name in _bound_at(one)} | _BUILTIN
    own = {name for one in carrier.around if isinstance(one, _SCOPES) for name in bound_in(one)}
    own |= {a.arg for one in ast.walk(top) if isinstance(one, ast.arguments) for a in _all(one)}
    own.discard(carrier.name)
    at_once, later = {*_read_at_once(carrier)}, {*_read_later(carrier)}
    reset = {name for one in ast.walk(tree) if isinstance(one, ast.Global) for name in one.names}
    if (
        not at_once <= known | _BUILTIN
        or not later <= everywhere
        or not (at_once | later).isdisjoint(own | reset)
        or _rests_on_more(tree, carrier, at_once | later)
    ):
        return None
    if carrier.value is None:
        is_conditional = len(carrier.around) > depth + 1
        stored = [*bound_in(tree)]
        if is_conditional or stored.count(carrier.name) != 1:
            return None
    return _moved(text, tree, lines, carrier, top)


def _carrier(tree: ast.Module, lines: Lines, span: tuple[int, int]) -> _Carrier | None:
    """What makes the function whose compiling, or compiled expression, spans some characters."""
    *around, statement = _chain(tree, lines, span) or [ast.Pass()]
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)) and any(
        lines.span(one) == span for one in statement.decorator_list
    ):
        return _Carrier(tuple(around), statement, None, statement.name)
    if isinstance(statement, ast.Assign) and lines.span(statement.value) == span:
        target = statement.targets[0]
        is_plain = len(statement.targets) == 1 and isinstance(target, ast.Name)
        return _Carrier(tuple(around), statement, None, target.id) if is_plain else None  # type: ignore[attr-defined]
    value = next(
        (
            one
            for one in ast.walk(statement)
            if isinstance(one, ast.expr) and lines.span(one) == span
        ),
        None,
    )
    if isinstance(value, ast.Name):
        return _defined(around, value.id)
    if value is None or _stands_apart(statement, value):
        return None
    return _Carrier(tuple(around), statement, value, _name_for(tree, value))


def _chain(tree: ast.Module, lines: Lines, span: tuple[int, int]) -> list[ast.stmt]:
    """The statements around some characters, the outermost first."""
    found: list[ast.stmt] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            start, end = lines.span(node)
            decorators = getattr(node, "decorator_list", ())
            start = min([start, *(lines.span(one)[0] for one in decorators)])
            if start <= span[0] and span[1] <= end:
                found.append(node)
    return sorted(found, key=lambda one: (one.lineno, -(one.end_lineno or 0)))


def _defined(around: Sequence[ast.stmt], name: str) -> _Carrier | None:
    """The definition of a function, in the innermost block around where it is named."""
    for depth in range(len(around) - 1, -1, -1):
        for one in getattr(around[depth], "body", ()):
            if isinstance(one, ast.FunctionDef) and one.name == name:
                return _Carrier(tuple(around[: depth + 1]), one, None, name)
    return None


def _stands_apart(statement: ast.stmt, value: ast.expr) -> bool:
    """Whether an expression runs in a scope of its own: of a lambda, comprehension or function."""
    scopes = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    return isinstance(statement, _SCOPES) or any(
        isinstance(node, scopes) and node is not value and value in ast.walk(node)
        for node in ast.walk(statement)
    )


def _name_for(tree: ast.Module, value: ast.expr) -> str:
    """A name for what an expression makes that nothing in the text has yet."""
    inner = value
    while isinstance(inner, ast.Call) and inner.args:
        inner = inner.args[0]
    last = inner.id if isinstance(inner, ast.Name) else getattr(inner, "attr", "")
    name = f"compiled_{last}" if last else "compiled" if isinstance(value, ast.Call) else "body"
    taken = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} | {*bound_in(tree)}
    taken |= {a.arg for n in ast.walk(tree) if isinstance(n, ast.arguments) for a in _all(n)}
    return next(one for one in chain([name], (f"{name}_{n}" for n in count(2))) if one not in taken)


def _is_first_and_alone(
    carrier: _Carrier, loop: ast.stmt, lines: Lines, stored: Sequence[str]
) -> bool:
    """Whether nothing else in a loop sets the name, or reads it before."""
    start = lines.span(carrier.statement)[0]
    named = (n for n in ast.walk(loop) if isinstance(n, ast.Name) and n.id == carrier.name)
    return stored.count(carrier.name) == 1 and all(lines.span(n)[0] >= start for n in named)


def _read_at_once(carrier: _Carrier) -> Iterator[str]:
    """The names that are read where the function is made."""
    made = carrier.value or carrier.statement
    parts: list[ast.AST] = [made]
    if isinstance(made, (ast.FunctionDef, ast.AsyncFunctionDef)):
        parts = [*made.decorator_list, *_at_definition(made.args)]
        parts += [made.returns] if made.returns is not None else []
    elif isinstance(made, ast.Assign):
        parts = [made.value]
    while parts:
        node = parts.pop()
        if isinstance(node, ast.Lambda):
            parts += _at_definition(node.args)
        elif isinstance(node, ast.Name):
            yield node.id
        else:
            parts += ast.iter_child_nodes(node)


def _read_later(carrier: _Carrier) -> Iterator[str]:
    """The names from around it that the function reads when it runs."""
    made = carrier.value or carrier.statement
    inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    for node in ast.walk(made):
        if isinstance(node, inner):
            body = node.body if isinstance(node.body, list) else [node.body]
            own = {a.arg for n in ast.walk(node) if isinstance(n, ast.arguments) for a in _all(n)}
            own |= {name for one in body for name in bound_in(one)}
            read = (n for one in body for n in ast.walk(one) if isinstance(n, ast.Name))
            yield from (n.id for n in read if n.id not in own)


def _at_definition(arguments: ast.arguments) -> list[ast.AST]:
    defaults = [one for one in (*arguments.defaults, *arguments.kw_defaults) if one is not None]
    hints = [a.annotation for a in _all(arguments) if a.annotation is not None]
    return [*defaults, *hints]


def _all(arguments: ast.arguments) -> list[ast.arg]:
    starred = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *starred]


def _bound_at(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement at the top of a file binds there."""
    if isinstance(statement, _SCOPES):
        yield statement.name
        return
    yield from bound_in(statement)


def _rests_on_more(tree: ast.Module, carrier: _Carrier, reads: Set[str]) -> bool:
    """Whether it sets names around it, waits, or reads attributes that others may set meanwhile."""
    kinds = (ast.Global, ast.Nonlocal, ast.Await, ast.Yield, ast.YieldFrom)
    made = carrier.value or carrier.statement
    imported = {
        (alias.asname or alias.name).partition(".")[0]
        for one in ast.walk(tree)
        if isinstance(one, (ast.Import, ast.ImportFrom))
        for alias in one.names
    }
    asked = {
        one.value.id
        for one in ast.walk(made)
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name)
    }
    return any(isinstance(one, kinds) for one in ast.walk(made)) or not (asked & reads <= imported)


def _moved(
    text: str, tree: ast.Module, lines: Lines, carrier: _Carrier, target: ast.stmt
) -> tuple[Edit, ...] | None:
    """The edits that put the carrier before a statement."""
    begin, newline = _first_line(text, lines, target), newline_of(text)
    if begin is None:
        return None
    there = indent_at(text, begin)
    gap = newline * 2 if target in tree.body and isinstance(target, _SCOPES) else ""
    if carrier.value is not None:
        start, end = lines.span(carrier.value)
        if spans_lines_of_text(text, start, end) or LINE_END.search(text, start, end):
            return None
        made = f"{there}{carrier.name} = {text[start:end]}{newline}{gap}"
        return Edit(begin, begin, made), Edit(start, end, carrier.name)
    first = _first_line(text, lines, carrier.statement)
    place = whole_lines(text, lines.span(carrier.statement))
    block = _block_of(carrier)
    if first is None or place is None or len(block) < 2:
        return None
    stop = place[1]
    if spans_lines_of_text(text, first, stop):
        return None
    here = indent_at(text, first)
    rows = LINE_END.sub("\n", text[first:stop]).removesuffix("\n").split("\n")
    shifted = [there + row.removeprefix(here) if row.strip() else row for row in rows]
    is_definition = isinstance(carrier.statement, _SCOPES)
    if is_definition:
        # The empty line that set it off from what follows goes with it.
        while stop < len(text) and (blank := LINE_END.match(text, stop)):
            stop = blank.end()
        gap = gap or newline
    lead = "".join(row + newline for row in shifted) + gap
    return Edit(begin, begin, lead), Edit(first, stop, "")


def _first_line(text: str, lines: Lines, statement: ast.stmt) -> int | None:
    """Where the first line of a statement, decorators included, begins; None where it shares it."""
    decorators: Sequence[ast.expr] = getattr(statement, "decorator_list", ())
    start = lines.span(statement)[0]
    if decorators:
        start = lines.span(decorators[0])[0] - 1
    begin = lines.starts[lines.line_of(start) - 1]
    return begin if not text[begin:start].strip(" \t@") else None


def _block_of(carrier: _Carrier) -> list[ast.stmt]:
    parent = carrier.around[-1]
    for name in ("body", "orelse", "finalbody"):
        block: list[ast.stmt] = getattr(parent, name, [])
        if carrier.statement in block:
            return block
    return []
