"""Methods that give variables their values by operations that each call adds to the graph."""

from __future__ import annotations

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph, entrances
from deepperf.semantics.execution import graphs, session_runs
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import once
from deepperf.semantics.names.scopes import CallSite
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes


def sets_in_each_call(analysis: Analysis, site: CallSite) -> bool:
    """Whether a method that others call adds an operation that sets a variable, and runs it.

    Nobody knows how often it is called, but each call leaves its operations in the graph. What
    is set is given by the caller, or the method itself is handed on to be called; what only sets
    up a model is run once.
    """
    function, fact = site.scope, callgraph.fact_at(analysis, site)
    if not has(fact, Trait.ADDS_NODE) or not has(fact, Trait.WRITES_STATE):
        return False
    # With gradients, a training of its own begins.
    if has(fact, Trait.ADDS_MANY_NODES):
        return False
    if classes.enclosing_class(function) is None:
        return False
    if not (_is_given_values(analysis, site) or entrances.is_handed_on(analysis, function)):
        return False
    runs = [other for other in function.calls if session_runs.runs_session(analysis, other)]
    if not runs or once.runs_once(analysis, site, None):
        return False
    if graphs.function_starts_graph(analysis, function) or graphs.runs_apart(analysis, function):
        return False
    return entrances.is_only_asked_from_outside(analysis, function)


def _is_given_values(analysis: Analysis, site: CallSite) -> bool:
    """Whether what is set rests on names of the function around, its comprehensions' included."""
    outside = analysis.module_of(site.scope).scopes.module.bound - site.scope.bound
    outside |= {"self", "cls"}
    names = (name for part in tree.arguments(site.node) for name in tree.names_in(part))
    return any(name not in outside for name in names)
