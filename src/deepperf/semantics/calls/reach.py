"""Which loops run a piece of code, directly or through calls, and what a loop's iterations run."""

from __future__ import annotations

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import appliers, callers, callgraph, hooks, listed, starters
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, ScopeKind

DEEPEST_PATH = 5
MOST_PATHS = 16

Path = tuple[Frame, tuple[CallSite, ...]]


def loop_paths(analysis: Analysis, site: CallSite) -> tuple[Path, ...]:
    """The loops whose iterations run a call, with the calls that lead to it from the loop.

    A loop around the call itself comes first, with no calls. Only the innermost loop of
    each function on the way is named.
    """
    around = site.loops
    found: list[Path] = [(around[-1], ())] if around else []
    found.extend(function_loop_paths(analysis, site.scope))
    return tuple(found[:MOST_PATHS])


def function_loop_paths(analysis: Analysis, function: Scope) -> tuple[Path, ...]:
    """The loops from whose bodies calls lead to a function, nearest first."""
    return analysis.remember(
        ("loop paths", function), lambda: tuple(_paths_to(analysis, function)), ()
    )


def _paths_to(analysis: Analysis, function: Scope) -> list[Path]:
    found: list[Path] = []
    seen = {function}
    level: list[tuple[Scope, tuple[CallSite, ...]]] = [(function, ())]
    for _ in range(DEEPEST_PATH):
        following: list[tuple[Scope, tuple[CallSite, ...]]] = []
        for scope, way in level:
            if scope.kind is not ScopeKind.FUNCTION:
                continue
            for frame, site in appliers.of_function(analysis, scope):
                found.append((frame, (site, *way)))
                if site.scope not in seen:
                    seen.add(site.scope)
                    following.append((site.scope, (site, *way)))
            sites = callers.callers(analysis, scope) + starters.of_function(analysis, scope)
            for site in sites:
                further = (site, *way)
                around = listed.loops_repeating(analysis, site)
                if around:
                    found.append((around[-1], further))
                    if len(found) >= MOST_PATHS:
                        return found
                if site.scope not in seen:
                    seen.add(site.scope)
                    following.append((site.scope, further))
        level = following
        if not level:
            break
    return found


def runs(analysis: Analysis, site: CallSite, path: Path) -> int | None:
    """How often the loop runs a call at most, with the loops in it that lead to the call.

    None where the text does not tell of each of them.
    """
    loop, way = path
    places = (*way, site)
    around = [frame for frame in places[0].frames if frame.is_loop]
    nested = around[around.index(loop) :] if loop in around else [loop]
    nested += [frame for place in places[1:] for frame in place.frames if frame.is_loop]
    found = 1
    for frame in nested:
        trips = loops.trips(analysis, frame)
        if trips is None:
            return None
        found *= trips
    return found


def may_repeat(analysis: Analysis, site: CallSite) -> bool:
    """Whether, by texts alone, a call may run more than once; asked before what costs."""
    if site.loops:
        return True
    function = site.scope
    if function.kind is not ScopeKind.FUNCTION:
        return False
    if hooks.may_run_again(analysis, function) or hooks.may_serve(analysis, function):
        return True
    if appliers.of_function(analysis, function):
        return True
    return analysis.remember(
        ("may be called", function),
        lambda: callers.may_be_called(analysis, function),
        otherwise=True,
    )


def frames_around(frame: Frame) -> tuple[Frame, ...]:
    """The frames of the same scope around a loop, outermost first."""
    for site in frame.scope.calls:
        if frame in site.frames:
            return site.frames[: site.frames.index(frame)]
    return ()


def reached_sites(
    analysis: Analysis, loop: Frame, traits: frozenset[Trait]
) -> tuple[CallSite, ...]:
    """The calls with one of `traits` that an iteration of the loop may run."""
    found: dict[CallSite, None] = {}
    for site in loops.sites_in(analysis, loop):
        fact = callgraph.fact_at(analysis, site)
        if has(fact, *traits):
            found[site] = None
        for target in callgraph.targets(analysis, site):
            found.update(dict.fromkeys(sites_of(analysis, target.function, traits)))
    return tuple(found)


def sites_of(analysis: Analysis, function: Scope, traits: frozenset[Trait]) -> tuple[CallSite, ...]:
    """The calls with one of `traits` that running a function may make, in callees too."""

    def find() -> tuple[CallSite, ...]:
        found: dict[CallSite, None] = {}
        analysis.module_of(function)
        for site in function.calls:
            fact = callgraph.fact_at(analysis, site)
            if has(fact, *traits):
                found[site] = None
            for target in callgraph.targets(analysis, site):
                found.update(dict.fromkeys(sites_of(analysis, target.function, traits)))
        return tuple(found)

    return analysis.remember(("sites of", function, traits), find, ())
