"""Which calls run a session, and whether the code around them works on graphs at all."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope, last_name
from deepperf.semantics.values import elements, values
from deepperf.semantics.values.terms import Display, External, Instance, Term

_SESSION = "tensorflow.Session"
_NODES = ("tensorflow.Tensor", "tensorflow.Operation")
_BOTH_WAYS = ("keras",)
"""Frameworks whose functions that run a session in graph mode also work without one."""
_NAMES = ("sess", "session")
"""What a session is called where nothing says what it is."""


def runs_session(analysis: Analysis, site: CallSite) -> bool:
    """Whether a call executes graph nodes in a session."""
    held = callgraph.callee(analysis, site)
    fact = callgraph.fact_of(analysis, held)
    if fact is not None:
        if Trait.RUNS_SESSION not in fact.traits:
            return False
        return fact.framework not in _BOTH_WAYS or _in_graph_mode(analysis, site.scope)
    if held and all(has_call_trait(analysis, term, Trait.RUNS_SESSION) for term in held):
        return _in_graph_mode(analysis, site.scope)
    function = site.node.func
    if not isinstance(function, ast.Attribute) or function.attr not in ("run", "eval"):
        return False
    if any(isinstance(term, External) or callgraph.targets_of(analysis, (term,)) for term in held):
        return False
    # What is fed is a node, which is evaluated by itself, or by a session that is told to run it.
    is_fed = any(keyword.arg == "feed_dict" for keyword in site.node.keywords)
    if function.attr == "eval":
        return is_fed or any(keyword.arg == "session" for keyword in site.node.keywords)
    if not site.node.args:
        return False
    if is_fed:
        return True
    if _is_called_session(analysis, function.value, site.scope) and _may_be_node(site.node.args[0]):
        return True
    # A `run` of something unknown that is given nodes to fetch.
    fetched = _fetched(analysis, site.node.args[0], site.scope)
    return any(_is_node(analysis, term) for term in fetched)


def _is_called_session(analysis: Analysis, receiver: ast.expr, scope: Scope) -> bool:
    """Whether something of which nothing is known has the name of a session of TensorFlow."""
    return is_named_session(receiver) and "onnx" not in analysis.module_of(scope).source.text


def is_session(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether an expression may hold a session of TensorFlow."""
    held = values.evaluate(analysis, node, scope)
    return any(is_session_object(analysis, term) for term in held)


def is_session_object(analysis: Analysis, term: Term) -> bool:
    """Whether one of the things that an expression may hold is a session of TensorFlow."""
    return isinstance(term, Instance) and _SESSION in analysis.knowledge.ancestry(term.type)


def is_named_session(node: ast.expr) -> bool:
    """Whether an expression has the name that programs give to sessions: `self._sess`."""
    return (last_name(node) or "").lstrip("_") in _NAMES


def _may_be_node(node: ast.expr) -> bool:
    """Whether what is fetched may be nodes: sessions of others are told names, or nothing."""
    parts = node.elts if isinstance(node, (ast.List, ast.Tuple)) else [node]
    return not any(isinstance(part, (ast.Constant, ast.JoinedStr)) for part in parts)


def _fetched(analysis: Analysis, node: ast.expr, scope: Scope) -> Iterator[Term]:
    for term in values.evaluate(analysis, node, scope):
        if isinstance(term, Display) and isinstance(term.node, (ast.List, ast.Tuple)):
            for part in term.node.elts[:4]:
                yield from values.evaluate(analysis, part, term.scope)
        elif isinstance(term, Display):
            yield from elements.elements(analysis, (term,))
        else:
            yield term


def _is_node(analysis: Analysis, term: Term) -> bool:
    if not isinstance(term, Instance):
        return False
    if term.type in _NODES:
        return True
    if not isinstance(term.site, ast.Call):
        return False
    made = callgraph.fact_of_call(analysis, term.site, term.scope)
    return has(made, Trait.ADDS_NODE)


def _in_graph_mode(analysis: Analysis, scope: Scope) -> bool:
    """Whether the code of a module is written for graphs: its version or its calls say so."""
    for framework, version in (("tensorflow", "2.0"), ("keras", "2.4")):
        known = analysis.project.version(scope.module_path, framework)
        if known is not None and not known.reaches(version):
            return True
    return _works_on_graphs(analysis, scope.module_path)


def _works_on_graphs(analysis: Analysis, path: str) -> bool:
    """Whether a module turns eager execution off, or opens sessions of the default graph."""

    def find() -> bool:
        traits = frozenset((Trait.OPENS_SESSION, Trait.DISABLES_EAGER, Trait.FED))
        known = analysis.project.version(path, "tensorflow")
        is_new = known is not None and known.reaches("2.0")
        return any(
            not (is_new and is_given_graph(analysis, site))
            for site in callgraph.sites_with(analysis, path, traits)
        )

    return analysis.remember(("works on graphs", path), find, otherwise=False)


def is_given_graph(analysis: Analysis, site: CallSite) -> bool:
    """Whether a session is of a graph of its own: code beside it may run eagerly."""
    fact = callgraph.fact_at(analysis, site)
    graph = fact and callgraph.role_argument(site.node, fact, ParameterRole.GRAPH)
    return graph is not None and not (isinstance(graph, ast.Constant) and graph.value is None)


def has_call_trait(analysis: Analysis, term: Term, trait: Trait) -> bool:
    """Whether calling an object of a framework does what the trait says."""
    if not isinstance(term, Instance) or not term.type:
        return False
    known = analysis.knowledge.type(term.type)
    return known is not None and trait in known.call_traits
