"""Whether operations run eagerly beside sessions that run graphs of their own.

In TensorFlow 2 an old model may be run by a session while the code around is eager: what
stands in no graph's `with` block is then no node of any graph.
"""

from __future__ import annotations

import ast
import re

from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import callers, callgraph, reach
from deepperf.semantics.execution import contexts, session_runs
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.frameworks import vintage
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, ScopeKind
from deepperf.semantics.text import tree

_GRAPHS = frozenset((Trait.ENTERS_GRAPH, Trait.CREATES_GRAPH, Trait.OPENS_SESSION))
_FARTHEST = 3
_WORDS = ("graph", "sess")


def is_eager_beside(
    analysis: Analysis, site: CallSite, way: tuple[CallSite, ...], loop: Frame
) -> bool:
    """Whether a call is no node of the graphs that the loop runs which leads to it by `way`."""
    places = (*way, site)
    if any(_may_be_in_graph(analysis, place.frames) for place in places):
        return False
    return (
        vintage.reaches(analysis, site.scope.module_path, "tensorflow", "2.0")
        and not _is_eager_turned_off(analysis)
        and _runs_own_graphs(analysis, loop)
        and not _is_called_in_graph(analysis, places[0].scope, _FARTHEST)
    )


def _is_eager_turned_off(analysis: Analysis) -> bool:
    """Whether, by texts alone, some file of the project switches to graph mode."""
    names = analysis.project.trigger_names(frozenset((Trait.DISABLES_EAGER,)))
    patterns = tuple(re.compile(rf"{name}\b") for name in sorted(names))
    found = analysis.project.mentioning(patterns)
    analysis.asked.update(names)
    analysis.touched.update(found)
    return bool(found)


def _runs_own_graphs(analysis: Analysis, loop: Frame) -> bool:
    """Whether all sessions that may be run in a loop are opened with a graph given to them."""
    wanted = frozenset((Trait.RUNS_SESSION,))
    runs = [
        site
        for site in reach.reached_sites(analysis, loop, wanted)
        if session_runs.runs_session(analysis, site)
    ]
    paths = {loop.scope.module_path, *(site.scope.module_path for site in runs)}
    opened = [
        site
        for path in sorted(paths)
        for site in callgraph.sites_with(analysis, path, frozenset((Trait.OPENS_SESSION,)))
    ]
    return (
        bool(runs)
        and bool(opened)
        and all(session_runs.is_given_graph(analysis, site) for site in opened)
    )


def _may_be_in_graph(analysis: Analysis, frames: tuple[Frame, ...]) -> bool:
    """Whether a `with` block around enters a graph or a session, by facts or by its words."""
    if not _GRAPHS.isdisjoint(contexts.managers(analysis, frames)):
        return True
    return any(
        word in (getattr(part, "id", "") or getattr(part, "attr", "")).lower()
        for frame in frames
        if isinstance(frame.node, (ast.With, ast.AsyncWith))
        for item in frame.node.items
        for part in tree.walk(item.context_expr)
        for word in _WORDS
    )


def _is_called_in_graph(analysis: Analysis, scope: Scope, farther: int) -> bool:
    if scope.kind is not ScopeKind.FUNCTION or not farther:
        return False
    return any(
        _may_be_in_graph(analysis, site.frames)
        or _is_called_in_graph(analysis, site.scope, farther - 1)
        for site in callers.callers(analysis, scope)
        if site.scope is not scope
    )
