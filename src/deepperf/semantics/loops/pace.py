"""How often a loop turns, and whether an iteration does so much that little else is felt
beside it.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator

from deepperf.knowledge import members
from deepperf.semantics.cost import other_work
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops, passes
from deepperf.semantics.loops.loops import LoopOver
from deepperf.semantics.names.scopes import Frame, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import filled, values
from deepperf.semantics.values.terms import Display, Generated

MANY = 100
"""Turns from which what each of them adds is felt, however much else an iteration does."""
_LISTED = (LoopOver.EPOCHS, LoopOver.ITEMS, LoopOver.PARTS)


class Pace(enum.Enum):
    """How often a loop turns, as far as the text tells."""

    OFTEN = "often"  # a known number of times, without end, or once for each batch or element
    SELDOM = "seldom"  # turns go through many steps, or draw, or are of a few kinds
    UNKNOWN = "unknown"


def pace(analysis: Analysis, loop: Frame) -> Pace:
    return analysis.remember(("pace", loop.node), lambda: _pace(analysis, loop), Pace.UNKNOWN)


def _pace(analysis: Analysis, loop: Frame) -> Pace:
    trips = loops.trips(analysis, loop)
    if trips is not None and trips <= loops.TINY:
        return Pace.SELDOM
    over = passes.over(analysis, loop)
    if over is LoopOver.EPOCHS:
        return Pace.SELDOM
    if trips is not None and trips >= MANY:
        return Pace.OFTEN
    if isinstance(loop.node, ast.While) or _goes_on(analysis, loop):
        return Pace.OFTEN
    if other_work.draws_panel(analysis, loop):
        return Pace.SELDOM
    if over in (LoopOver.BATCHES, LoopOver.ELEMENTS):
        return Pace.OFTEN
    if _is_filled_by_parts(analysis, loop):
        return Pace.SELDOM
    # Of things in a list there may be thousands; there are few that each take a training or a
    # pass through a data set, and few that one picture shows. Numbered steps may be any number.
    if over in _LISTED and (
        len(kinds(loop)) > 1
        or other_work.draws_picture(analysis, loop)
        or passes.goes_through_steps(analysis, loop)
    ):
        return Pace.SELDOM
    return Pace.UNKNOWN


def _goes_on(analysis: Analysis, loop: Frame) -> bool:
    """Whether it goes over what a generator gives in a `while` loop: frames, messages."""
    return any(
        isinstance(term, Generated) and _yields_in_while(term.scope)
        for part in loops.gone_over(analysis, loop)
        for term in values.evaluate(analysis, part, loop.scope)
    )


def _yields_in_while(generator: Scope) -> bool:
    turning = [loop for loop in generator.loops if isinstance(loop.node, ast.While)]
    within = {id(value) for loop in turning for value in tree.walk(loop.node)}
    return bool(turning) and all(id(value) in within for value in generator.yields)


def _is_filled_by_parts(analysis: Analysis, loop: Frame) -> bool:
    """Whether it goes over a list to which loops over a model's parts add, and no others."""
    iterable = loops.iterable_of(loop)
    if not isinstance(iterable, ast.Name):
        return False
    held = values.evaluate(analysis, iterable, loop.scope)
    if not held or not all(isinstance(t, Display) and filled.is_filled(analysis, t) for t in held):
        return False
    adding = [
        site
        for site in loop.scope.calls
        if isinstance(site.node.func, ast.Attribute)
        and site.node.func.attr in members.CONTAINER_ADDITIONS
        and getattr(site.node.func.value, "id", "") == iterable.id
    ]
    return bool(adding) and all(
        bool(site.loops) and all(loops.over(analysis, one) is LoopOver.PARTS for one in site.loops)
        for site in adding
    )


def kinds(loop: Frame) -> frozenset[str]:
    """The words that an iteration compares its item with: a program knows few kinds of a thing."""
    target = getattr(loop.node, "target", None)
    if not isinstance(target, ast.Name):
        return frozenset()
    return frozenset(
        word
        for part in tree.walk(loop.node)
        if isinstance(part, ast.Compare)
        and isinstance(part.left, ast.Name)
        and part.left.id == target.id
        and isinstance(part.ops[0], (ast.Eq, ast.In))
        for word in _words(part.comparators[0])
    )


def _words(node: ast.expr) -> Iterator[str]:
    parts = node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]
    for part in parts:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
