"""Whether work is the same in a few turns only, by numbers or by what a loop goes over."""

from __future__ import annotations

import ast
import itertools

from deepperf.knowledge import members
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.loops.loops import LoopOver
from deepperf.semantics.names.scopes import COMPREHENSIONS, Frame, last_name
from deepperf.semantics.repetition.repetition import Repeated
from deepperf.semantics.text import tree
from deepperf.semantics.values import elements, filled, values
from deepperf.semantics.values.terms import NONE, Argument, Display, Literal


def turns_little(analysis: Analysis, loop: Frame, work: Repeated) -> bool:
    """Whether it is the same in a few turns only, by the numbers that anybody asks for."""
    same = work.site.loops[work.site.loops.index(loop) :] if loop in work.site.loops else (loop,)
    return all(_asks_for_few(analysis, one) for one in same)


def _asks_for_few(analysis: Analysis, loop: Frame) -> bool:
    iterable = loops.iterable_of(loop)
    if isinstance(iterable, ast.Name):
        held = values.evaluate(analysis, iterable, loop.scope)
        known = [term for term in held if not isinstance(term, Argument) and term != NONE]
        return bool(known) and all(
            isinstance(term, Display)
            and isinstance(term.node, (ast.List, ast.Tuple))
            and 0 < len(term.node.elts) <= loops.TINY
            and not filled.is_filled(analysis, term)
            for term in known
        )
    if not isinstance(iterable, ast.Call) or len(iterable.args) != 1:
        return False
    called = callgraph.external_names(values.evaluate(analysis, iterable.func, loop.scope))
    if len(called) != 1 or called[0] not in elements.RANGES:
        return False
    # One more or less than what is asked for: `range(steps - 1)`.
    bound = iterable.args[0]
    if isinstance(bound, ast.BinOp) and isinstance(bound.right, ast.Constant):
        bound = bound.left
    held = values.evaluate(analysis, bound, loop.scope)
    told = [term.value for term in held if isinstance(term, Literal)]
    counts = [value for value in told if isinstance(value, int)]
    return bool(counts) and max(counts) <= loops.TINY


def goes_by_pairs(work: Repeated) -> bool:
    """Whether a loop counts from what the one around it counts to an end that is the same."""
    return any(
        isinstance(iterable := loops.iterable_of(inner), ast.Call)
        and last_name(iterable.func) == "range"
        and len(iterable.args) > 1
        and not loops.targets(outer).isdisjoint(tree.names_in(iterable.args[0]))
        and loops.targets(outer).isdisjoint(tree.names_in(iterable.args[1]))
        for outer, inner in itertools.pairwise(work.site.loops)
    )


def goes_over_few(loop: Frame, over: LoopOver) -> bool:
    """Whether it goes over the parts of something, or the objects of a short listing."""
    is_listing = isinstance(loop.node, COMPREHENSIONS) and over is LoopOver.ITEMS
    return over is LoopOver.PARTS or is_listing


def goes_over_entries(loop: Frame) -> bool:
    """Whether its turns are the entries of a table, which may be many: of users, say."""
    listing = getattr(loops.iterable_of(loop), "func", None)
    return isinstance(listing, ast.Attribute) and listing.attr in members.MAPPING_LISTINGS
