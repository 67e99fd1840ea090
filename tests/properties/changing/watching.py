"""Runs a program, and compares what the turns of its loops compute that is said to be the same."""

from __future__ import annotations

import ast
import contextlib
import io
import sys
import types
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from deepperf.semantics.files.project import Project
from deepperf.semantics.query.file import file_of
from deepperf.semantics.text.source import Source, read_source

T = TypeVar("T")
Span = tuple[str, int, int, int | None, int | None]
"""An expression or statement by its kind and its place."""
MOST_TURNS = 2_000
"""Of all loops together: some programs would never end."""


class EnoughTurnsError(BaseException):
    """The program has run for long enough; nothing in it catches this."""


@dataclass(frozen=True, slots=True)
class Claim:
    """That each turn of `loop`, by way of `call`, gets the same from `operation`."""

    loop: Span
    call: Span
    operation: Span
    text: str


def span(node: ast.expr | ast.stmt) -> Span:
    place = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
    return (type(node).__name__, *place)


def claims(text: str) -> list[Claim]:
    """What deepperf says of the loops of a program, whether it tells of it or not."""
    source = read_source("main.py", text.encode())
    assert isinstance(source, Source)
    return [
        Claim(
            ("While" if run.loop.is_while else "For", *run.loop._span),
            ("Call", *run.calls[0]._span),
            ("Call", *run.calls[-1]._span),
            f"line {run.calls[0].location.line}: {run.calls[-1].text}",
        )
        for function in file_of(Project({"main.py": source}), "main.py").functions()
        for run in function.computes_again
        if run.loop is not None and not run.loop.is_comprehension
    ]


@dataclass(slots=True)
class Watch:
    """What was seen, by claim, by how often its loop was begun, and by turn."""

    claims: list[Claim]
    begun: dict[Span, int] = field(default_factory=lambda: defaultdict(int))
    turn: dict[Span, int] = field(default_factory=dict)
    running: list[int] = field(default_factory=list)
    turns: int = 0
    seen: dict[tuple[int, int], dict[int, list[object]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )

    def begin(self, loop: Span) -> None:
        self.begun[loop] += 1
        self.turn[loop] = 0

    def next_turn(self, *loop: Span) -> None:
        self.turns += 1
        if self.turns > MOST_TURNS:
            raise EnoughTurnsError
        for one in loop:
            self.turn[one] += 1

    def through(self, number: int, call: Callable[[], T]) -> T:
        self.running.append(number)
        try:
            return call()
        finally:
            self.running.pop()

    def see(self, number: int, value: T) -> T:
        claim = self.claims[number]
        is_meant = claim.call == claim.operation or number in self.running
        if is_meant and claim.loop in self.turn:
            turns = self.seen[number, self.begun[claim.loop]]
            turns[self.turn[claim.loop]].append(_content(value))
        return value

    def changed(self) -> Iterator[str]:
        """The claims that did not hold."""
        for (number, _), turns in self.seen.items():
            first, *others = turns.values()
            if any(one[0] != first[0] or _differ(one, first) for one in others):
                yield self.claims[number].text


def _differ(one: list[object], other: list[object]) -> bool:
    """Whether two turns that asked equally often were told different things."""
    return len(one) == len(other) and one != other


def _content(value: object) -> object:
    if isinstance(value, (list, tuple)):
        return tuple(map(_content, value))
    if hasattr(value, "detach"):
        value = value.detach().numpy()
    if hasattr(value, "tobytes"):
        return (getattr(value, "shape", ()), value.tobytes())
    return repr(value)


class _Watched(ast.NodeTransformer):
    """Has a program report to a watch, which it knows as `_watch`."""

    def __init__(self, found: list[Claim]) -> None:
        self.claims = found
        self.loops = {one.loop for one in found}

    def visit(self, node: ast.AST) -> Any:
        place = span(node) if isinstance(node, (ast.expr, ast.stmt)) else None
        node = self.generic_visit(node)
        if isinstance(node, ast.expr):
            for number, one in enumerate(self.claims):
                if one.operation == place:
                    node = _told("see", ast.Constant(number), node)
            for number, one in enumerate(self.claims):
                if one.call == place != one.operation:
                    later = ast.Lambda(_NOTHING, node)
                    node = _told("through", ast.Constant(number), later)
        if isinstance(node, (ast.For, ast.While)):
            loop = [ast.parse(repr(place), mode="eval").body] if place in self.loops else []
            node.body.insert(0, ast.Expr(_told("next_turn", *loop)))
            return [*(ast.Expr(_told("begin", one)) for one in loop), node]
        return node


_NOTHING = ast.arguments([], [], None, [], [], None, [])


def _told(method: str, *given: ast.expr) -> ast.expr:
    watch = ast.Name("_watch", ast.Load())
    return ast.Call(ast.Attribute(watch, method, ast.Load()), list(given), [])


def changed(text: str, found: list[Claim], library: str) -> list[str]:
    """The claims about a program that its run shows to be wrong, as far as the run comes."""
    watch = Watch(found)
    whole: ast.Module = ast.fix_missing_locations(_Watched(found).visit(ast.parse(text)))
    outside = types.ModuleType("outside")
    exec(library, outside.__dict__)
    sys.modules["outside"] = outside
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(whole, "main.py", "exec"), {"_watch": watch, "__name__": "main"})
    except EnoughTurnsError:
        pass
    except Exception as error:
        if not watch.begun:
            raise AssertionError("the program came to no loop") from error
    finally:
        del sys.modules["outside"]
    return sorted(set(watch.changed()))
