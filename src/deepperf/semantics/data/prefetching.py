"""Pipelines whose elements are prepared only when the loop that uses them asks for the next."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from deepperf.knowledge.schema import Fact, ParameterRole, Trait, has
from deepperf.records import Role
from deepperf.semantics.calls import callers, callgraph, effects, reach
from deepperf.semantics.calls.effects import Effect
from deepperf.semantics.data import pipelines, workload
from deepperf.semantics.data.workload import Workload
from deepperf.semantics.execution import contexts, graph_state
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.frameworks import vintage
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, ScopeKind
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Argument, Instance, Unknown
from deepperf.semantics.vectorization import rowwise

_DATASET = "tensorflow.data.Dataset"
SINCE = "2.11"
"""From here on, to be on the safe side, the runtime prefetches by itself."""
_SWITCHED_OFF = re.compile(
    r"\.(?:inject_prefetch|apply_default_optimizations|autotune(?:\.enabled)?)\s*=\s*False"
)
_WORKING = frozenset((Trait.RECORDS_GRADIENT, Trait.TRAINS, Trait.COMPUTES, Trait.RUNS_SESSION))
_ASKING = (Trait.EVALUATES, Trait.PREDICTS)
_MAPPING = frozenset((Trait.MAPS_ELEMENTS, Trait.MAPS_AND_BATCHES))
_LONGEST = 24
FEW = 1000
FEW_CALLS = 8
"""Fewer calls of Python, which may wait for files or the network, are not worth a word."""


class Unprefetched(Struct, frozen=True, eq=False):
    """A pipeline whose `last` transformation prepares elements on demand.

    `used_by` is the loop, or the call, that goes through its elements; of several one that may
    do so `again`, as a training does.
    """

    last: CallSite
    used_by: ast.AST
    scope: Scope
    again: bool


def unprefetched(analysis: Analysis, path: str) -> Iterator[Unprefetched]:
    """The pipelines that end in a file, of those that map elements and never prefetch."""
    if "tensorflow" not in analysis.knowledge.frameworks:
        return
    module = analysis.module(path)
    mapping = analysis.project.trigger_names(_MAPPING)
    if mapping.isdisjoint(module.called_names) or not _may_matter(analysis, path):
        return
    seen: dict[CallSite, Unprefetched] = {}
    for place in (path, *_users(analysis, path)):
        source = analysis.project.sources[place]
        if source.role is Role.TEST or "Strategy" in source.text:
            continue
        for dataset, node, scope in _uses(analysis, place):
            last = _last(analysis, dataset, scope)
            if last is None or last.scope.module_path != path:
                continue
            again = not _asks_once(analysis, node, scope)
            if last not in seen or (again and not seen[last].again):
                seen[last] = Unprefetched(last, node, scope, again)
    yield from seen.values()


def _asks_once(analysis: Analysis, node: ast.AST, scope: Scope) -> bool:
    """Whether a use goes through a pipeline once, for a model's answers."""
    site = analysis.site_of(node, scope)
    if site is None or not has(callgraph.fact_at(analysis, site), *_ASKING):
        return False
    return not site.loops and not any(reach.function_loop_paths(analysis, scope))


def _may_matter(analysis: Analysis, path: str) -> bool:
    """Whether nothing prefetches unasked: an old version, or the program switches it off."""
    if not vintage.reaches(analysis, path, "tensorflow", SINCE):
        return True
    return _SWITCHED_OFF.search(analysis.project.sources[path].text) is not None


def _users(analysis: Analysis, path: str) -> tuple[str, ...]:
    """Other files that call functions of this one which return datasets."""
    found: dict[str, None] = {}
    for scope in analysis.module(path).all_scopes:
        if scope.kind is not ScopeKind.FUNCTION or not scope.returns:
            continue
        if any(
            isinstance(term, Instance) and analysis.knowledge.is_subtype(term.type, _DATASET)
            for term in values.returned(analysis, scope)
        ):
            for site in callers.callers(analysis, scope):
                found[site.scope.module_path] = None
    found.pop(path, None)
    return tuple(found)


def _uses(analysis: Analysis, path: str) -> Iterator[tuple[ast.expr, ast.AST, Scope]]:
    """Where a file goes through something that may be a dataset."""
    module = analysis.module(path)
    for scope in module.all_scopes:
        for loop in scope.loops:
            if isinstance(loop.node, ast.For) and _works(analysis, loop):
                yield _plain(loop.node.iter), loop.node, scope
    traits = frozenset((Trait.TRAINS, Trait.ITERATES_DATASET))
    names = analysis.project.trigger_names(traits) | {"iter"}
    for name in sorted(names.intersection(module.called_names)):
        for site in module.calls_named(name):
            held = callgraph.callee(analysis, site)
            fact = callgraph.fact_of(analysis, held)
            if callgraph.external_names(held) == ("builtins.iter",):
                given = site.node.args[:1]
            elif not has(fact, *traits):
                continue
            elif Trait.TRAINS in fact.traits:
                data = tree.argument(site.node, 0, "x")
                given = [data] if data is not None else []
            else:
                given = site.node.args[:1]
                if not given and isinstance(site.node.func, ast.Attribute):
                    given = [site.node.func.value]
            for dataset in given:
                yield dataset, site.node, site.scope


def _plain(node: ast.expr) -> ast.expr:
    """What `enumerate` or `tqdm` goes through."""
    if isinstance(node, ast.Call) and node.args:
        name = getattr(node.func, "id", "")
        if name in ("enumerate", "tqdm", "iter"):
            return _plain(node.args[0])
    return node


def _works(analysis: Analysis, loop: Frame) -> bool:
    """Whether each iteration does work that preparing the next element could go beside."""
    for site in loop.scope.calls:
        if loop not in site.frames:
            continue
        fact = callgraph.fact_at(analysis, site)
        if fact is not None:
            if not fact.traits.isdisjoint(_WORKING):
                return True
        elif callgraph.targets(analysis, site) or contexts.runs_compiled(analysis, site):
            return True
    return False


def _last(analysis: Analysis, node: ast.expr, scope: Scope) -> CallSite | None:
    """The last transformation of a pipeline that maps its elements and never prefetches."""
    held = [
        term
        for term in values.evaluate(analysis, node, scope)
        if not isinstance(term, (Argument, Unknown))
    ]
    if len(held) != 1 or not isinstance(held[0], Instance):
        return None
    term = held[0]
    if not analysis.knowledge.is_subtype(term.type, _DATASET):
        return None
    end = analysis.site_of(term.site, term.scope)
    if end is None or not _is_on_demand(analysis, end, end, _Seen(), _LONGEST):
        return None
    return _before_options(analysis, end)


def _before_options(analysis: Analysis, site: CallSite) -> CallSite:
    """The transformation that options are set on, one call after the other."""
    fact = callgraph.fact_at(analysis, pipelines.applied(analysis, site))
    before = pipelines.inputs(analysis, site)
    if not has(fact, Trait.SETS_DATASET_OPTIONS) or len(before) != 1:
        return site
    return _before_options(analysis, before[0])


class _Seen(Struct, frozen=True):
    """What was met of a pipeline, from its end backwards."""

    maps: bool = False
    calls_python: bool = False
    is_light: bool = True
    batches: bool = False
    maps_batches: bool = True  # not single elements, before they are joined


def _is_on_demand(
    analysis: Analysis, site: CallSite, end: CallSite, seen: _Seen, longest: int
) -> bool:
    """Whether a pipeline maps elements and never prefetches, whichever way it begins."""
    fact = callgraph.fact_at(analysis, pipelines.applied(analysis, site))
    if not longest or fact is None:
        return False
    is_start = Trait.CREATES_DATASET in fact.traits
    # What is read ahead where it starts does not make the maps after it run ahead.
    if Trait.PREFETCHES in fact.traits and not is_start:
        return False
    # What is kept is not prepared again.
    if Trait.CACHES_ELEMENTS in fact.traits and not seen.maps:
        return False
    if _maps(analysis, site, fact):
        seen = _Seen(
            maps=True,
            calls_python=seen.calls_python or _calls_python(analysis, site, fact),
            is_light=seen.is_light and _is_light(analysis, site, fact),
            batches=seen.batches,
            maps_batches=seen.maps_batches and not seen.batches,
        )
    if Trait.BATCHES in fact.traits:
        seen = replace(seen, batches=True)
    if is_start:
        size = pipelines.size(analysis, site)
        is_small = size is not None and size <= (FEW_CALLS if seen.calls_python else FEW)
        # A pass over rows that are in memory already takes no time worth sparing.
        is_small |= seen.is_light and Trait.JOINS in fact.traits
        # Nor does one over batches of what is read ahead.
        is_small |= seen.is_light and seen.maps_batches and Trait.PREFETCHES in fact.traits
        return seen.maps and site is not end and not is_small
    if pipelines.few_taken(analysis, site, fact) is not None:
        return False
    before = pipelines.inputs(analysis, site)
    return bool(before) and all(
        _is_on_demand(analysis, part, end, seen, (longest - 1) // len(before)) for part in before
    )


def _maps(analysis: Analysis, site: CallSite, fact: Fact) -> bool:
    """Whether a transformation computes something for each element."""
    if fact.traits.isdisjoint(_MAPPING):
        return False
    applied = pipelines.applied(analysis, site)
    # A parallel map works ahead by itself.
    workers = callgraph.role_argument(applied.node, fact, ParameterRole.PARALLELISM)
    if workers is not None:
        return False
    function = callgraph.role_argument(applied.node, fact, ParameterRole.FUNCTION)
    if function is None:
        return True
    return workload.of_value(analysis, function, applied.scope) > Workload.NOTHING


def _is_light(analysis: Analysis, site: CallSite, fact: Fact) -> bool:
    """Whether the function that is mapped does little, or arithmetic number by number."""
    applied = pipelines.applied(analysis, site)
    function = callgraph.role_argument(applied.node, fact, ParameterRole.FUNCTION)
    if function is None:
        return False
    if workload.of_value(analysis, function, applied.scope) <= Workload.LITTLE:
        return True
    work = rowwise.of_function(analysis, function, applied.scope)
    return work is not None and all(
        step.fact is None or Trait.ELEMENTWISE in step.fact.traits for step in work.operations
    )


def _calls_python(analysis: Analysis, site: CallSite, fact: Fact) -> bool:
    """Whether the function that is mapped calls Python for each element."""
    applied = pipelines.applied(analysis, site)
    function = callgraph.role_argument(applied.node, fact, ParameterRole.FUNCTION)
    if function is None:
        return False
    return any(
        Effect.CALLS_PYTHON in effects.of_term(analysis, term)
        for term in values.evaluate(analysis, function, applied.scope)
    )


def _has_state(analysis: Analysis, site: CallSite, fact: Fact) -> bool:
    """Whether the function that is mapped draws numbers, or reads or changes variables."""
    applied = pipelines.applied(analysis, site)
    function = callgraph.role_argument(applied.node, fact, ParameterRole.FUNCTION)
    return function is not None and bool(
        graph_state.stateful_places(analysis, function, applied.scope)
    )


def may_run_python(analysis: Analysis, site: CallSite) -> bool:
    """Whether Python gives or maps elements of a dataset, a map has state, or that is not known.

    Made ahead of time, they may be of what the program has not changed yet.
    """
    pending, seen = [site], {site}
    while pending:
        step = pending.pop()
        fact = callgraph.fact_at(analysis, pipelines.applied(analysis, step))
        if fact is None or Trait.CALLS_PYTHON in fact.traits:
            return True
        is_mapped = has(fact, *_MAPPING)
        if is_mapped and (_calls_python(analysis, step, fact) or _has_state(analysis, step, fact)):
            return True
        if Trait.CREATES_DATASET not in fact.traits:
            before = [maker for maker, _ in pipelines.sources(analysis, step)]
            if not before or not pipelines.are_sources_known(analysis, step):
                return True
            pending += [maker for maker in before if maker not in seen]
            seen.update(before)
    return False
