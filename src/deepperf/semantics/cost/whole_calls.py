"""Whether a loop repeats all that a function does, or which part of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.semantics.calls import callgraph
from deepperf.semantics.cost import turn_share
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.models import chance, learning
from deepperf.semantics.names.scopes import CallSite, Frame
from deepperf.semantics.repetition.repetition import Repeated
from deepperf.semantics.text import tree

MUCH = 5
"""Operations that a function does in all, from which its call is no trifle."""


def is_whole(analysis: Analysis, loop: Frame, work: Repeated) -> bool:
    """Whether a call on the way to the operation is given the same in each turn."""
    given = tree.arguments(work.site.node)
    # A step changes in place what an optimizer was made for.
    if any(
        learning.is_optimized(analysis, chain, loop.scope)
        for one in given
        if (chain := tree.chain_of(one)) is not None
    ):
        return False
    return work.operation.scope is not work.site.scope and any(
        True for _ in _given_the_same(analysis, loop, work)
    )


def does_much(analysis: Analysis, loop: Frame, work: Repeated) -> bool:
    """Whether the call in the loop is repeated as a whole, and its function does much."""
    return work.site in _given_the_same(analysis, loop, work) and _is_much(
        analysis, loop, work.site
    )


def repeats_much(analysis: Analysis, loop: Frame, work: Repeated) -> bool:
    """Whether some call on the way is repeated as a whole, whose function does much."""
    return any(_is_much(analysis, loop, one) for one in _given_the_same(analysis, loop, work))


def _given_the_same(analysis: Analysis, loop: Frame, work: Repeated) -> Iterator[CallSite]:
    """The calls from the loop on to the operation that are given the same in each turn.

    What draws at random gives something else all the same.
    """
    way = (work.site, *work.way)
    for number, site in enumerate(way, 1):
        drawing = (
            chance.draws(analysis, one.function) for one in callgraph.targets(analysis, site)
        )
        if turn_share.is_given_the_same(analysis, way[:number], loop) and not any(drawing):
            yield site


def _is_much(analysis: Analysis, loop: Frame, site: CallSite) -> bool:
    return turn_share.work_of(analysis, site, loop) >= MUCH


def is_part(analysis: Analysis, loop: Frame, work: Repeated) -> bool:
    """Whether the rest of its function works on what differs from turn to turn."""
    is_inside = work.operation.scope is not work.site.scope
    return is_inside and not is_whole(analysis, loop, work)


def is_done_to_both(analysis: Analysis, work: Repeated) -> bool:
    """Whether its function does the same to something else: to a query, and a table of answers."""
    names = callgraph.external_names(callgraph.callee(analysis, work.operation))
    return bool(names) and any(
        other is not work.operation
        and callgraph.external_names(callgraph.callee(analysis, other)) == names
        for other in work.operation.scope.calls
    )


def does_no_more(analysis: Analysis, work: Repeated) -> bool:
    """Whether the operation is all that a function does which the loop calls."""
    function = work.operation.scope
    if function is work.site.scope:
        return False
    if sum(turn_share.work_of(analysis, site, None) for site in function.calls) > 1:
        return False
    body = getattr(function.node, "body", [])
    statements = body if isinstance(body, list) else [body]
    return not any(isinstance(part, ast.BinOp) for one in statements for part in tree.walk(one))
