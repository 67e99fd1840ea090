"""Whether only a few elements of a pipeline are ever asked for, to be shown.

What a notebook shows is all that is done there. A program that takes a few batches may well be the
beginning of one that takes all of them: there only what waits for somebody to look counts.
"""

from __future__ import annotations

import ast
import enum

from deepperf.knowledge.schema import Fact, ParameterRole, Trait, has
from deepperf.semantics.calls import callgraph, reach
from deepperf.semantics.data import pipelines
from deepperf.semantics.data.feeding import Place, follow_name, parents
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.loops import loops
from deepperf.semantics.names.scopes import CallSite, Scope
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Argument, Literal

_MOST_STEPS = 60
_STAYS_PIPELINE = frozenset((Trait.CHAINS_DATASET, Trait.MAPS_ELEMENTS, Trait.BATCHES))
_STAYS_PIPELINE |= {Trait.PREFETCHES, Trait.CACHES_ELEMENTS, Trait.SETS_DATASET_OPTIONS}
_LOOKING = frozenset(("builtins.print", "builtins.type", "builtins.len"))
_HANDING_ON = frozenset(("builtins.iter", "builtins.enumerate"))


class _Use(enum.Enum):
    SHOWS = "shows"  # takes a few elements
    BESIDE = "beside"  # takes none, or hands the pipeline on to places that are asked too
    OTHER = "other"


def is_shown(analysis: Analysis, site: CallSite) -> bool:
    """Whether all that takes elements of the pipeline that a call makes takes only a few.

    False where the text does not show all of that, or nothing that takes any; what nothing in a
    notebook takes is made there to be looked at.
    """

    def find() -> Certainty:
        return Certainty.YES if _is_shown(analysis, site) else Certainty.NO

    return analysis.remember(("shown", site.node), find, Certainty.NO) is Certainty.YES


def _is_shown(analysis: Analysis, site: CallSite) -> bool:
    pending = [Place(site.node, site.scope)]
    seen: set[int] = set()
    uses: set[_Use] = set()
    while pending and len(seen) < _MOST_STEPS and _Use.OTHER not in uses:
        place = pending.pop()
        if id(place.node) not in seen:
            seen.add(id(place.node))
            uses.add(_use(analysis, place, pending))
    if pending or _Use.OTHER in uses:
        return False
    return _Use.SHOWS in uses or _shows_few(site.scope) is _Use.SHOWS


def _shows_few(scope: Scope) -> _Use:
    return _Use.SHOWS if scope.module_path.endswith(".ipynb") else _Use.OTHER


def _use(analysis: Analysis, place: Place, pending: list[Place]) -> _Use:
    """What is done with a pipeline where it stands; where it goes on to is left in `pending`."""
    around = parents(analysis, place.scope)
    parent = around.get(id(place.node))
    if isinstance(parent, ast.keyword):
        parent = around.get(id(parent))
    if isinstance(parent, ast.Expr):
        return _Use.BESIDE
    if isinstance(parent, ast.Attribute):
        call = around.get(id(parent))
        if not isinstance(call, ast.Call) or call.func is not parent:
            return _Use.BESIDE
        return _of_method(analysis, call, place.scope, pending)
    if isinstance(parent, ast.Call):
        return _of_argument(analysis, parent, place, pending)
    if isinstance(parent, ast.For) and parent.iter is place.node:
        return _of_loop(analysis, parent, place.scope)
    if isinstance(parent, ast.Assign) and all(isinstance(t, ast.Name) for t in parent.targets):
        for target in parent.targets:
            assert isinstance(target, ast.Name)
            follow_name(analysis, target.id, place.scope, pending, target)
        return _Use.BESIDE
    return _Use.OTHER


def _of_method(analysis: Analysis, call: ast.Call, scope: Scope, pending: list[Place]) -> _Use:
    site = analysis.site_of(call, scope)
    fact = callgraph.fact_at(analysis, site) if site is not None else None
    if site is None or fact is None:
        return _Use.OTHER
    if _takes_few(analysis, site, fact):
        return _shows_few(scope)
    if fact.traits.isdisjoint(_STAYS_PIPELINE):
        return _Use.OTHER
    pending.append(Place(call, scope))
    return _Use.BESIDE


def _takes_few(analysis: Analysis, site: CallSite, fact: Fact) -> bool:
    """Whether a call lets through only a few elements, in all calls of its function seen."""
    argument = callgraph.role_argument(site.node, fact, ParameterRole.MOST)
    held = () if argument is None else values.evaluate(analysis, argument, site.scope)
    counts = [term.value for term in held if isinstance(term, Literal)]
    others = [t for t in held if not isinstance(t, (Literal, Argument))]
    return (
        bool(counts)
        and not others
        and all(isinstance(count, int) and 0 <= count <= pipelines.FEW for count in counts)
    )


def _of_argument(analysis: Analysis, call: ast.Call, place: Place, pending: list[Place]) -> _Use:
    site = analysis.site_of(call, place.scope)
    if site is None:
        return _Use.OTHER
    names = frozenset(callgraph.external_names(callgraph.callee(analysis, site)))
    if names and names <= _LOOKING:
        return _Use.BESIDE
    if names and names <= _HANDING_ON:
        pending.append(Place(call, place.scope))
        return _Use.BESIDE
    if names == {"builtins.next"}:
        is_repeated = site.loops or any(reach.function_loop_paths(analysis, site.scope))
        return _Use.OTHER if is_repeated else _shows_few(place.scope)
    targets = callgraph.targets(analysis, site)
    for target in targets:
        bound = callgraph.bound_arguments(call, target)
        taken = [name for name, argument in bound.items() if argument is place.node]
        if not taken:
            return _Use.OTHER
        for name in taken:
            follow_name(analysis, name, target.function, pending)
    return _Use.BESIDE if targets else _Use.OTHER


def _of_loop(analysis: Analysis, loop: ast.For, scope: Scope) -> _Use:
    """Of a loop over the elements, which may wait in each iteration until somebody has looked."""
    frame = analysis.module_of(scope).scopes.loop_frames.get(id(loop))
    inside = loops.sites_in(analysis, frame) if frame is not None else ()
    if any(has(callgraph.fact_at(analysis, site), Trait.WAITS) for site in inside):
        return _Use.SHOWS
    is_one = any(isinstance(statement, ast.Break) for statement in loop.body)
    return _shows_few(scope) if is_one else _Use.OTHER
