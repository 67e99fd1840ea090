"""Work that each turn of a loop does again though nothing that it needs has changed."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator

from msgspec import Struct

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.files.outline import (
    aliases_of,
    root_name,
)
from deepperf.semantics.invariance import passing, steady
from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.invariance.varying import NOTHING, may_be_steady
from deepperf.semantics.loops import placement, regions
from deepperf.semantics.loops.regions import Region
from deepperf.semantics.names.scopes import CallSite, Frame, Scope
from deepperf.semantics.repetition import (
    bodies,
    called,
    in_training,
    inner_loops,
    inner_work,
    operations,
    same_owner,
    telling,
)
from deepperf.semantics.text import tree


class Reading(enum.Enum):
    """What the name that is called allows a call to be."""

    OPERATION = "operation"
    PROJECT = "project"


class Repeated(Struct, frozen=True, eq=False):
    """Work that a loop repeats: the call in the loop, and the calls on to the operation.

    `way` is empty when the operation is part of the call's own expression. It is `kept_by_module`
    where each pass of a module does it, for what the module has held since it was made. `given` is,
    as text, what the call gives that the operation needs.
    """

    site: CallSite
    way: tuple[CallSite, ...]
    operation: CallSite
    kept_by_module: bool = False
    given: frozenset[str] = frozenset()


def repeated_work(analysis: Analysis, loop: Frame) -> tuple[Repeated, ...]:
    """The work that the loop repeats and no loop around it in the same function does too."""
    nothing: dict[int, list[Repeated]] = {}
    by_loop = analysis.remember(
        ("repeated", loop.scope), lambda: _in_scope(analysis, loop.scope), nothing
    )
    return tuple(by_loop.get(id(loop.node), ()))


def _in_scope(analysis: Analysis, scope: Scope) -> dict[int, list[Repeated]]:
    found: dict[int, list[Repeated]] = {}
    covered: set[int] = set()
    seen: set[tuple[int, tuple[int, ...], str]] = set()
    analysis.module_of(scope)
    sites = (
        [site for site in inner_work.sites(analysis, scope) if site.loops] if scope.loops else []
    )
    if not sites:
        return found
    aliases = aliases_of(analysis.project, scope.module_path)
    for site in sorted(sites, key=lambda s: s.position):
        around = site.loops
        if id(tree.written(site.node)) in covered or placement.is_set_aside(site):
            continue
        may_be_operation = operations.may_be_operation(analysis, site)
        if may_be_operation:
            may_be_operation = any(
                may_be_steady(site.node, regions.region_of_loop(analysis, loop))
                for loop in around[-2:]
            )
        if not may_be_operation and (
            root_name(site.node.func) in aliases or not inner_work.may_be_project(analysis, site)
        ):
            continue
        reading = Reading.OPERATION if may_be_operation else Reading.PROJECT
        loop, works = _at_site(analysis, site, around, reading)
        if works and _goes_on(analysis, site, loop, found.get(id(loop.node), [])):
            continue
        for repeated in works:
            way = tuple(id(place.node) for place in (*repeated.way, repeated.operation))
            key = (id(loop.node), way, ast.dump(repeated.site.node))
            covered.update(id(part) for part in tree.walk(repeated.site.node))
            if key not in seen:
                seen.add(key)
                found.setdefault(id(loop.node), []).append(repeated)
    return found


def _goes_on(analysis: Analysis, site: CallSite, loop: Frame, told: list[Repeated]) -> bool:
    """Whether a call goes once over what the turn makes step by step, under one name.

    That is told where it begins.
    """
    rebound = regions.region_of_loop(analysis, loop).rebound
    if not rebound or operations.is_more_than_a_pass(analysis, site):
        return False
    begun = {
        name
        for work in told
        if isinstance(work.site.statement, ast.Assign)
        for name in tree.names_in(*work.site.statement.targets)
    }
    return not tree.names_in(site.node).isdisjoint(begun & rebound.keys())


def _at_site(
    analysis: Analysis, site: CallSite, around: tuple[Frame, ...], reading: Reading
) -> tuple[Frame, tuple[Repeated, ...]]:
    """The outermost loop in which the call repeats work, and that work, when there is any."""
    best: tuple[Frame, tuple[Repeated, ...]] = (around[-1], ())
    is_of_elements = False
    for loop in reversed(around):
        repeated = tuple(_repeated(analysis, site, regions.region_of_loop(analysis, loop), reading))
        if not repeated:
            # A turn of the loop around may do the same for each of the things gone over.
            is_inmost = loop is around[-1] and len(around) > 1
            is_of_elements = is_inmost and inner_loops.may_go_over_things(loop)
            if is_of_elements:
                continue
            break
        if is_of_elements:
            heavy = (operations.is_more_than_a_pass(analysis, one.operation) for one in repeated)
            if not all(heavy) or not inner_loops.turns_for_steps(analysis, loop):
                break
            if not inner_loops.goes_over_things(analysis, around[-1]):
                break
        if not placement.turns_seldom(analysis, loop):
            best = (loop, repeated)
    is_worth = not best[1] or placement.is_hot(analysis, around[-1], around)
    return best if is_worth else (around[-1], ())


def _repeated(
    analysis: Analysis, site: CallSite, region: Region, reading: Reading
) -> Iterator[Repeated]:
    """The work that a call in the region repeats: each function's first, and what is costly."""
    if not all(may_be_steady(test, region) for test in _tests(analysis, site, region)):
        return
    may_be_operation = reading is Reading.OPERATION
    if may_be_operation and may_be_steady(site.node, region):
        is_worth = operations.is_worth_repeating(analysis, site)
        if is_worth and not operations.is_small_step(analysis, site, region):
            is_repeated = (
                placement.is_read(analysis, site, region)
                and _is_steady_at(analysis, site, region)
                and in_training.operands_stay(analysis, site, region)
            )
            if is_repeated:
                outer = _outermost(analysis, site, region)
                if not placement.is_kept(analysis, outer, region):
                    yield Repeated(outer, (), operations.costliest(analysis, site))
            return
    if may_be_operation and callgraph.fact_at(analysis, site):
        return
    around = region.loop
    assert around is not None
    of_others: set[Scope] = set()
    for target in called.one_of(analysis, site, region):
        told: set[telling.Place] = set()
        of_this: set[Scope] = set()
        for inner in sorted(
            inner_work.work_for(
                analysis,
                site,
                target,
                passing.varying_at_call(analysis, site, target, region, NOTHING),
            ),
            key=lambda one: (
                len(one.way),
                -operations.weight(analysis, one.operation),
                telling.is_product(one),
            ),
        ):
            place = inner.operation.scope
            # One of several is run, and what they all come to is told of the first.
            if place in of_others or not told.isdisjoint(telling.told_with(analysis, inner)):
                continue
            if not inner.demands.are_met(analysis, site, target):
                continue
            if not same_owner.are_same(analysis, inner.objects, site, target, region):
                continue
            is_looped = any(place.loops for place in (*inner.way, inner.operation))
            if is_looped and not inner_loops.turns_for_steps(analysis, around):
                continue
            if not passing.at_call(analysis, inner.needed, site, target, region).is_sure:
                continue
            if not _guards_stay(analysis, site, region):
                continue
            if not (
                in_training.operands_stay(analysis, inner.operation, region)
                or in_training.given_stay(analysis, inner, site, target, region)
            ):
                continue
            # What is done again for nothing is measured.
            if not placement.is_read(analysis, site, region) and _is_steady_at(
                analysis, site, region
            ):
                return
            of_this.add(place)
            told |= telling.tells_of(analysis, inner)
            given = passing.read_at_call(analysis, inner.needed, site, target) or ()
            texts = frozenset(ast.unparse(one) for one in given)
            yield Repeated(site, inner.way, inner.operation, given=texts)
        of_others |= of_this


def stays_whole(analysis: Analysis, loop: Frame, site: CallSite) -> bool:
    """Whether all that a call gives is the same in each turn, so that one call before will do."""
    if loop not in site.frames:
        return False
    region = regions.region_of_loop(analysis, loop)
    return (
        _is_steady_at(analysis, site, region)
        and in_training.operands_stay(analysis, site, region)
        and not placement.is_kept(analysis, site, region)
    )


# When it is steady


def _is_steady_at(analysis: Analysis, site: CallSite, region: Region) -> bool:
    if not steady.steady(analysis, tree.written(site.node), region).is_sure:
        return False
    return _guards_stay(analysis, site, region)


def _guards_stay(analysis: Analysis, site: CallSite, region: Region) -> bool:
    """Whether the region runs the call under the same conditions, in one place, in each turn."""
    return not placement.is_placed_anew(site, region) and all(
        _guard_stays(analysis, test, region) for test in _tests(analysis, site, region)
    )


def _guard_stays(analysis: Analysis, test: ast.expr, region: Region) -> bool:
    if isinstance(test, ast.BoolOp):
        return all(_guard_stays(analysis, value, region) for value in test.values)
    # Whether there is an object does not depend on what becomes of its parts.
    if (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.ops[0], (ast.Is, ast.IsNot))
        and isinstance(test.comparators[0], ast.Constant)
        and steady.same_object(analysis, test.left, region) is Certainty.YES
    ):
        return True
    return steady.steady(analysis, test, region).is_sure


def _tests(analysis: Analysis, site: CallSite, region: Region) -> list[ast.expr]:
    # Inside a statement that only a newer Python knows, the loop may not be seen around the call.
    start = site.frames.index(region.loop) + 1 if region.loop in site.frames else 0
    around = bodies.tests_of(site.frames[start:])
    return [*around, *(test for test, _ in bodies.choices(analysis, site))]


# What becomes of it


def _outermost(analysis: Analysis, site: CallSite, region: Region) -> CallSite:
    """The largest steady call of the same statement that the call is part of."""
    best = site
    for other in inner_work.sites(analysis, site.scope):
        if (
            other.statement is site.statement
            and other is not site
            and region.loop in other.frames
            and any(part is best.node for part in tree.walk(tree.written(other.node)))
            and not has(callgraph.fact_at(analysis, other), Trait.PURE)
            and steady.steady(analysis, tree.written(other.node), region).is_sure
        ):
            best = other
    return best
