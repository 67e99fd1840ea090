"""How large a part of what a turn does one operation in it is, by counting operations.

What they are applied to is mostly not known. Of a dozen operations in a turn one is little all the
same, unless it is of a kind that takes far longer.
"""

from __future__ import annotations

import ast
import sys

from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import callgraph
from deepperf.semantics.cost import pair_tables
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance import passing, steady
from deepperf.semantics.invariance.steadiness import UNKNOWN, Steadiness
from deepperf.semantics.loops import loops, regions
from deepperf.semantics.loops.regions import Region
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, ScopeKind
from deepperf.semantics.repetition import hooked
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes
from deepperf.semantics.values.terms import Argument, Unknown, Value

_COSTLY = 5
_OF_MODEL = 20
_ELSEWHERE = 3
"""What a function is taken to cost of which nothing is known."""
_TURNS = 10
"""Turns that a loop within the turn is taken to have, where the text does not tell."""
_WORK = frozenset((Trait.COMPUTES, Trait.ARRANGES, Trait.JOINS, Trait.RANDOM))
_WORK |= frozenset((Trait.CREATES_ARRAY, Trait.MAKES_TENSOR))
_MODELS = frozenset((Trait.PREDICTS, Trait.EVALUATES, Trait.TRAINS, Trait.FITS, Trait.ASKS))
_MODELS |= frozenset((Trait.STEPS_TRAINING, Trait.RUNS_SESSION))


def share(analysis: Analysis, loop: Frame, way: tuple[CallSite, ...]) -> float:
    """Which part of a turn the last call of the way is, to which the others lead from the loop.

    Of a function that is given the same each time all that it does is counted.
    """
    weight = _of_operation(analysis, way[-1])
    for place in way:
        weight *= turns_within(analysis, place, loop)
    for number, place in enumerate(way[:-1], 1):
        if is_given_the_same(analysis, way[:number], loop):
            weight = max(weight, work_of(analysis, place, loop))
    whole = sum(work_of(analysis, site, loop) for site in loops.sites_in(analysis, loop))
    whole += _of_products(analysis, loop.node, loop.scope)
    return weight / max(whole, weight, 1)


def is_given_the_same(analysis: Analysis, way: tuple[CallSite, ...], loop: Frame) -> bool:
    """Whether the last call of a way, which begins in the loop, is given the same in each turn."""
    site = way[-1]
    given = tree.operands(site.node)
    if not given:
        return True
    region = _region(analysis, site, loop)
    answer = _given_steady(analysis, site, given, region) if region is not None else UNKNOWN
    for caller, called in zip(reversed(way[:-1]), reversed(way[1:]), strict=True):
        if not answer.is_sure or not answer.needs:
            break
        region = _region(analysis, caller, loop)
        targets = callgraph.targets(analysis, caller)[:1]
        if region is None or [target.function for target in targets] != [called.scope]:
            return False
        answer = passing.at_call(analysis, answer.needs, caller, targets[0], region)
    if loop.node is loop.scope.node and way[0].scope is loop.scope:
        return answer.is_sure and hooked.all_last(analysis, loop.scope, answer.needs)
    return answer.is_sure and not answer.needs


def _given_steady(
    analysis: Analysis, site: CallSite, given: list[ast.expr], region: Region
) -> Steadiness:
    """Whether all that a call is given is steady, or what a method reads of its object."""
    whole = steady.steady(analysis, site.node, region)
    return whole if whole.is_sure else steady.all_steady(analysis, given, region)


def _region(analysis: Analysis, site: CallSite, loop: Frame) -> Region | None:
    """What a call is repeated in: the turn, or the function that it stands in."""
    if site.scope is loop.scope and loop.node is not loop.scope.node:
        return regions.region_of_loop(analysis, loop)
    if site.scope.kind is not ScopeKind.FUNCTION:
        return None
    return regions.region_of_function(analysis, site.scope)


def work_of(analysis: Analysis, site: CallSite, loop: Frame | None) -> int:
    """How many operations a call does in a turn of a loop, or in one run of its function."""
    own = _of_operation(analysis, site)
    own += sum(
        _of_function(analysis, target.function) for target in callgraph.targets(analysis, site)[:1]
    )
    return own * turns_within(analysis, site, loop) if own else 0


def _of_operation(analysis: Analysis, site: CallSite) -> int:
    held = callgraph.callee(analysis, site)
    fact = callgraph.fact_of(analysis, held)
    if fact is None:
        packages = {name.partition(".")[0] for name in callgraph.external_names(held)}
        is_library = bool(packages - {"builtins", *sys.stdlib_module_names})
        return _ELSEWHERE if is_library or _is_given(site, held) else 0
    if not fact.traits.isdisjoint(_MODELS):
        return _OF_MODEL
    if Trait.COSTLY in fact.traits or pair_tables.goes_over_pairs(site):
        return _COSTLY
    return int(not fact.traits.isdisjoint(_WORK))


def _is_given(site: CallSite, held: Value) -> bool:
    """Whether it calls, as it is, what the function or its object was given: a model, mostly."""
    function = site.node.func
    if isinstance(function, ast.Attribute):
        is_own = classes.is_of_own_object(function, site.scope)
    else:
        is_own = isinstance(function, ast.Name)
    return is_own and all(isinstance(term, (Argument, Unknown)) for term in held)


def _of_function(analysis: Analysis, function: Scope) -> int:
    def find() -> int:
        analysis.module_of(function)
        found = sum(work_of(analysis, site, None) for site in function.calls)
        return found + _of_products(analysis, function.node, function)

    return analysis.remember(("weight", function), find, 0)


def turns_within(analysis: Analysis, site: CallSite, loop: Frame | None) -> int:
    """How often a call is run in a turn of a loop around it, or in a run of its function."""
    frames = site.frames
    if loop is not None and loop in frames:
        frames = frames[frames.index(loop) + 1 :]
    found = 1
    for frame in frames:
        if frame.is_loop:
            found *= _times(analysis, frame)
    return found


def _times(analysis: Analysis, loop: Frame) -> int:
    trips = loops.trips(analysis, loop)
    return _TURNS if trips is None or trips > _TURNS else max(trips, 1)


def _of_products(analysis: Analysis, root: ast.AST, scope: Scope) -> int:
    """What the matrix products cost that a loop's turn, or a function, writes as `a @ b`."""
    inner = {id(loop.node): loop for loop in scope.loops if loop.node is not root}
    found = 0
    pending = [(part, _COSTLY) for part in tree.children(root)]
    while pending:
        part, cost = pending.pop()
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if id(part) in inner:
            cost *= _times(analysis, inner[id(part)])
        found += cost if isinstance(part, ast.BinOp) and isinstance(part.op, ast.MatMult) else 0
        pending += [(child, cost) for child in tree.children(part)]
    return found
