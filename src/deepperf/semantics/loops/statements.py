"""The statements of a loop's body, with the loops and conditions of the same scope around them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from msgspec import Struct

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Frame

_TRIES = tuple(getattr(ast, name) for name in ("Try", "TryStar") if hasattr(ast, name))


class Standing(Struct, frozen=True, eq=False):
    """A statement that does not hold others, in `loops`, outermost first, under `tests`."""

    node: ast.stmt
    loops: tuple[Frame, ...]
    tests: tuple[ast.expr, ...]


def standing_in(analysis: Analysis, loop: Frame) -> tuple[Standing, ...]:
    """The simple statements in the body of a `for` or `while` loop, inner loops included."""
    frames = analysis.module_of(loop.scope).scopes.loop_frames
    node = loop.node
    assert isinstance(node, (ast.For, ast.AsyncFor, ast.While))
    return tuple(_standing(frames, node.body, (loop,), ()))


# No function within the one above: one that calls itself holds itself, and what it was given, with
# all that leads to, would stay in memory for good.
def _standing(
    frames: Mapping[int, Frame],
    body: list[ast.stmt],
    loops: tuple[Frame, ...],
    tests: tuple[ast.expr, ...],
) -> Iterator[Standing]:
    for node in body:
        if isinstance(node, ast.If):
            yield from _standing(frames, node.body, loops, (*tests, node.test))
            yield from _standing(frames, node.orelse, loops, (*tests, node.test))
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            yield from _standing(frames, node.body, (*loops, frames[id(node)]), tests)
            yield from _standing(frames, node.orelse, loops, tests)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            yield from _standing(frames, node.body, loops, tests)
        elif isinstance(node, _TRIES):
            for part in (node.body, node.orelse, node.finalbody):
                yield from _standing(frames, part, loops, tests)
            for handler in node.handlers:
                yield from _standing(frames, handler.body, loops, tests)
        elif isinstance(node, ast.Match):
            for case in node.cases:
                yield from _standing(frames, case.body, loops, (*tests, node.subject))
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield Standing(node, loops, tests)
