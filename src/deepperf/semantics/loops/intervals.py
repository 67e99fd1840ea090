"""What runs in each n-th of the iterations that lead to it, as a condition counts them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Branch, CallSite, Frame, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, settings, values
from deepperf.semantics.values.terms import Literal

_SELDOM = 10
"""Turns of which one does something, from which on that is little beside the others."""
_FEW = 20
"""Turns of which no more are few, whatever they do."""
_TENS = 50
"""Steps beside all of which one node more is little, if it sets but one variable."""
_LONG = 1_000
"""Steps that together take longer than compiling a function does."""
_MINUTES = 5_000
"""Steps that together take minutes, in which what sets a session up anew is not felt."""
_FURTHEST = 3
"""Functions that a condition is followed through."""


def is_now_and_then(frames: tuple[Frame, ...]) -> bool:
    """Whether a condition around holds in each n-th turn only: `if step % 100 == 0`."""
    return any(
        isinstance(frame.node, ast.If)
        and frame.branch is Branch.BODY
        and any(_counts_turns(part) for part in tree.walk(frame.node.test))
        for frame in frames
    )


def is_each_nth_turn(analysis: Analysis, site: CallSite, loop: Frame, trips: int | None) -> bool:
    """Whether a loop that ends runs a call of its own in some of its iterations only, as it counts
    them.

    That is each n-th of them. Where the text tells what that makes, by defaults of settings too,
    these are twenty at most; what only a setting tells is left to those who know how long it
    takes.
    """
    if loop not in site.frames or _is_endless(loop):
        return False
    inside = site.frames[site.frames.index(loop) + 1 :]
    counters = _counters(loop)
    trips = _turns_by_default(analysis, loop) if trips is None else trips
    return any(
        isinstance(frame.node, ast.If)
        and frame.branch is Branch.BODY
        and any(
            not counters.isdisjoint(tree.names_in(remainder))
            and _are_few(_interval(analysis, remainder.right, site.scope), trips)
            for part in tree.walk(frame.node.test)
            if (remainder := _remainder(part)) is not None
        )
        for frame in inside
    )


def is_after_long(analysis: Analysis, way: Sequence[CallSite], loop: Frame) -> bool:
    """Whether a condition on the way from a loop to a call holds once in very many steps.

    `way` are the calls from the loop's body on, the one asked about last. Steps that a setting
    counts of which the text tells no value may be many. A function may ask the condition:
    `if self.is_due(step)`.
    """
    return any(every is None or every >= _LONG for every in _on_way(analysis, way, loop))


def is_after_minutes(analysis: Analysis, way: Sequence[CallSite], loop: Frame) -> bool:
    """Whether the text tells that a condition on the way holds once in thousands of steps."""
    return any(every is not None and every >= _MINUTES for every in _on_way(analysis, way, loop))


def is_after_tens(analysis: Analysis, way: Sequence[CallSite], loop: Frame) -> bool:
    """Whether the text tells that a condition on the way holds once in fifty steps, or less."""
    return any(every is not None and every >= _TENS for every in _on_way(analysis, way, loop))


def is_in_loop(way: Sequence[CallSite], loop: Frame) -> bool:
    """Whether a loop within the iterations goes round what they lead to: it is done for each of
    some.
    """
    return any(frame.is_loop for site in way for frame in _inside(site, loop))


def _on_way(analysis: Analysis, way: Sequence[CallSite], loop: Frame) -> Iterator[int | None]:
    for site in way:
        for frame in _inside(site, loop):
            if isinstance(frame.node, ast.If) and frame.branch is Branch.BODY:
                yield from _intervals(analysis, frame.node.test, site.scope, _FURTHEST)


def _inside(site: CallSite, loop: Frame) -> tuple[Frame, ...]:
    frames = site.frames
    return frames[frames.index(loop) + 1 :] if loop in frames else frames


def _intervals(
    analysis: Analysis, test: ast.expr, scope: Scope, further: int
) -> Iterator[int | None]:
    """How many steps lie between those in which a condition can hold, as far as it counts them."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for value in test.values:
            yield from _intervals(analysis, value, scope, further)
        return
    remainder = _remainder(test)
    site = analysis.site_of(test, scope)
    if remainder is not None:
        yield _interval(analysis, remainder.right, scope)
    elif site is not None and further:
        for target in callgraph.targets(analysis, site):
            for asked in (target.function, *classes.overriding(analysis, target.function)):
                analysis.module_of(asked)
                for returned in asked.returns:
                    if returned is not None:
                        yield from _intervals(analysis, returned, asked, further - 1)


def _interval(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    held = values.evaluate(analysis, node, scope)
    told = held[0].value if len(held) == 1 and isinstance(held[0], Literal) else None
    return told if isinstance(told, int) else settings.default_number(analysis, node, scope)


def _turns_by_default(analysis: Analysis, loop: Frame) -> int | None:
    """The most that settings named in a loop's first line say where nobody says otherwise."""
    node = loop.node
    told = [
        settings.default_number(analysis, part, loop.scope)
        for whole in (getattr(node, "iter", None), getattr(node, "test", None))
        if whole is not None
        for part in tree.walk(whole)
        if isinstance(part, ast.Attribute)
    ]
    return max((number for number in told if number is not None), default=None)


def _are_few(every: int | None, trips: int | None) -> bool:
    return every is None or (trips is not None and trips <= every * _FEW)


def _is_endless(loop: Frame) -> bool:
    return isinstance(loop.node, ast.While) and isinstance(loop.node.test, ast.Constant)


def _counters(loop: Frame) -> set[str]:
    """The names that a loop gives its iterations, or asks of them whether to go on."""
    node = loop.node
    part = node.test if isinstance(node, ast.While) else getattr(node, "target", None)
    return set() if part is None else set(tree.names_in(part))


def _counts_turns(node: ast.AST) -> bool:
    """Whether it is a remainder that is nothing: of a number that is large, or not known."""
    remainder = _remainder(node)
    if remainder is None:
        return False
    every = getattr(remainder.right, "value", None)
    return not isinstance(every, int) or every >= _SELDOM


def _remainder(node: ast.AST) -> ast.BinOp | None:
    """The remainder of numbers that a condition asks to be nothing."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        remainder: ast.expr = node.operand
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq):
        remainder = node.left
    else:
        return None
    if not isinstance(remainder, ast.BinOp) or not isinstance(remainder.op, ast.Mod):
        return None
    # A text that is filled in is none.
    return None if isinstance(remainder.left, ast.Constant) else remainder
