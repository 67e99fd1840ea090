"""Whole models that a loop, or each request, makes or loads once more."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from deepperf.knowledge.schema import ParameterRole, Trait, has
from deepperf.semantics.calls import callgraph, reach, settled
from deepperf.semantics.calls.reach import Path
from deepperf.semantics.execution import eagerness, graphs, model_changes, same_place, sessions
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.frameworks import vintage
from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.loops import loops, passes, put_aside
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Instance

_USING = model_changes.TRAINING | {
    "predict",
    "evaluate",
    "predict_on_batch",
    "test_on_batch",
    "predict_classes",
}


class Kind(enum.Enum):
    """What is wrong with making a model again."""

    SAME = "same"  # it is loaded from the same place as before
    NAMED = "named"  # it is loaded from where the request says, which others said before
    PILED = "piled"  # the framework keeps the graphs of all models that were made


class Again(Struct, frozen=True, eq=False):
    """A call that makes or loads a model, and the loop or request handler that repeats it."""

    site: CallSite
    kind: Kind
    path: Path | None
    request: tuple[Scope, tuple[CallSite, ...]] | None
    is_sure: bool = True
    """Whether it is run whatever optional arguments hold, as far as is seen."""


def models_again(analysis: Analysis, path: str) -> Iterator[Again]:
    """The calls of a file that make again what they need not, or what is never freed."""
    spoken: set[Frame] = set()
    sites = callgraph.sites_with(analysis, path, frozenset((Trait.GIVES_MODEL,)))
    for site in sorted(sites, key=lambda site: site.position):
        found = _again(analysis, site)
        if found is None:
            continue
        # Of several models that one iteration makes the first speaks for all.
        if found.path is not None and found.kind is Kind.PILED:
            if found.path[0] in spoken:
                continue
            spoken.add(found.path[0])
        yield found


def _again(analysis: Analysis, site: CallSite) -> Again | None:
    unsure: Again | None = None
    for found in _all_again(analysis, site):
        answer = _is_made(analysis, site, found)
        if answer is Certainty.YES:
            return found
        if answer is Certainty.UNKNOWN:
            unsure = unsure or replace(found, is_sure=False)
    return unsure


def _is_made(analysis: Analysis, site: CallSite, found: Again) -> Certainty:
    """Whether the calls on the way come to it, for what they are passed."""
    way = found.path[1] if found.path is not None else found.request[1] if found.request else ()
    places = (*way, site)
    fact = callgraph.fact_at(analysis, site)
    place = callgraph.role_argument(site.node, fact, ParameterRole.PLACE) if fact else None
    if place is None and _is_loaded(analysis, site):
        place = next(iter(site.node.args), None)
    if place is not None and settled.is_none(analysis, place, places):
        return Certainty.NO
    return settled.are_run(analysis, places)


def _all_again(analysis: Analysis, site: CallSite) -> Iterator[Again]:
    for loop, way in graphs.repeats(analysis, site):
        # Few iterations of few iterations may be many: a grid of settings.
        trips, runs = loops.trips(analysis, loop), reach.runs(analysis, site, (loop, way))
        if trips is not None and trips <= loops.TINY and (runs is None or runs <= loops.TINY):
            continue
        if passes.over(analysis, loop) is loops.LoopOver.PARTS:
            continue
        kind = _kind(analysis, site, (loop, way))
        if kind is not None:
            yield Again(site, kind, (loop, way), None)
    request = sessions.request_path(analysis, site)
    if request is not None:
        handler, way = request
        if _is_loaded(analysis, site):
            if _is_same(analysis, site, handler, None, way):
                yield Again(site, Kind.SAME, None, request)
            elif _is_named_by_request(analysis, site, handler, way):
                yield Again(site, Kind.NAMED, None, request)


def _kind(analysis: Analysis, site: CallSite, path: Path) -> Kind | None:
    loop, way = path
    called = model_changes.names_called(analysis, loop)
    is_same = _is_loaded(analysis, site) and _is_same(analysis, site, loop.scope, loop, way)
    # What is trained has to start anew each time, and what is saved may be what is loaded next.
    if is_same and not model_changes.changes_models(analysis, loop):
        return None if _is_kept(analysis, site, path) else Kind.SAME
    if _is_loaded(analysis, site) and not is_same:
        return None
    if called.isdisjoint(_USING) or graphs.loop_starts_graph(analysis, loop):
        return None
    if not _piles_up(analysis, site) or _is_kept(analysis, site, path):
        return None
    return Kind.PILED


def _is_loaded(analysis: Analysis, site: CallSite) -> bool:
    return has(callgraph.fact_at(analysis, site), Trait.READS_FILE)


def _is_same(
    analysis: Analysis,
    site: CallSite,
    start: Scope,
    loop: Frame | None,
    way: tuple[CallSite, ...],
) -> bool:
    """Whether the place that a model is loaded from is the same each time."""
    fact = callgraph.fact_at(analysis, site)
    if fact is None or callgraph.has_unpacked_arguments(site.node):
        return False
    place = callgraph.role_argument(site.node, fact, ParameterRole.PLACE)
    given = [place] if place is not None else list(site.node.args)
    if place is None:
        given += [keyword.value for keyword in site.node.keywords]
    return all(
        same_place.is_same_place(analysis, node, start, loop, (*way, site)) for node in given
    )


def _is_named_by_request(
    analysis: Analysis, site: CallSite, handler: Scope, way: tuple[CallSite, ...]
) -> bool:
    """Whether a request names the model that it is answered with, and that is not kept."""
    fact = callgraph.fact_at(analysis, site)
    place = callgraph.role_argument(site.node, fact, ParameterRole.PLACE) if fact else None
    return (
        place is not None
        and not any(_is_handed_on(one) for one in (*way, site) if _gives(analysis, one, site))
        and same_place.is_place_of_request(analysis, place, handler, (*way, site))
    )


def _is_handed_on(site: CallSite) -> bool:
    """Whether what a call gives is changed, kept outside of its function, or handed on."""
    statement = site.statement
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = {target.id for target in targets if isinstance(target, ast.Name)}
    if len(names) < len(targets) or not names.isdisjoint(site.scope.outer_names):
        return True
    return any(
        last_name(other.node.func) in model_changes.CHANGING
        or given is site.node
        or getattr(given, "id", None) in names
        for other in site.scope.calls
        for given in tree.arguments(other.node)
    )


def _piles_up(analysis: Analysis, site: CallSite) -> bool:
    """Whether Keras keeps the graph of the model: until TensorFlow 2.4, and in graph mode."""
    fact = callgraph.fact_at(analysis, site)
    if fact is None or fact.framework != "keras":
        return False
    path = site.scope.module_path
    return (
        not vintage.reaches(analysis, path, "tensorflow", "2.4")
        or not vintage.reaches(analysis, path, "keras", "2.4")
        or eagerness.builds_graphs(analysis, path)
    )


def _is_kept(analysis: Analysis, site: CallSite, path: Path) -> bool:
    """Whether each iteration puts its model aside, or what holds it: all are there in the end."""
    loop, way = path
    if put_aside.makes_objects(analysis, loop, way):
        return True
    first = (*way, site)[0]
    if not _gives(analysis, first, site):
        return False
    return put_aside.is_put_aside(first, loop)


def _gives(analysis: Analysis, place: CallSite, site: CallSite) -> bool:
    """Whether a call on the way gives the model that `site` makes."""
    return any(
        isinstance(term, Instance) and term.site is site.node
        for term in values.evaluate(analysis, place.node, place.scope)
    )
