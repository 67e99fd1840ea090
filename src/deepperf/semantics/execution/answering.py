"""Methods that open a session of their own each time that they are asked for something."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import ParameterRole, Trait, has
from deepperf.semantics.calls import callgraph, entrances
from deepperf.semantics.execution import session_runs
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import once
from deepperf.semantics.names.scopes import CallSite, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes


def opens_to_answer(analysis: Analysis, site: CallSite) -> bool:
    """Whether a public method opens a session on its object's graph to run it once, and fed.

    Nobody knows how often it is called. But an object that keeps a graph is there to be asked
    again: else it would not keep it.
    """
    function = site.scope
    cls, own = classes.enclosing_class(function), classes.receiver_name(function)
    if cls is None or own is None or function.name == "__init__" or not _is_left_behind(site):
        return False
    kept = {
        part.attr
        for part in _graphs(analysis, site)
        if isinstance(part, ast.Attribute) and getattr(part.value, "id", None) == own
    }
    writes = [write for name in kept for write in classes.attribute_writes(analysis, cls, name)]
    if not writes or any(write.scope is function for write in writes):
        return False
    runs = [other for other in function.calls if session_runs.runs_session(analysis, other)]
    fed = [run for run in runs if len(tree.arguments(run.node)) > 1]
    # A session in which a loop runs the graph many times is little beside that.
    if not fed or any(run.loops for run in runs) or not _is_given_something(function, own):
        return False
    if once.runs_once(analysis, site, None):
        return False
    return entrances.is_only_asked_from_outside(analysis, function)


def _is_left_behind(site: CallSite) -> bool:
    """Whether nothing but the method itself has the session."""
    statement = site.statement
    if isinstance(statement, ast.With):
        entered = [item for item in statement.items if item.context_expr is site.node]
        return any(not isinstance(item.optional_vars, ast.Attribute) for item in entered)
    return (
        isinstance(statement, ast.Assign)
        and statement.value is site.node
        and all(isinstance(target, ast.Name) for target in statement.targets)
    )


def _graphs(analysis: Analysis, site: CallSite) -> list[ast.expr]:
    """The graph that a session is given, and those that are the default around it."""
    fact = callgraph.fact_at(analysis, site)
    given = callgraph.role_argument(site.node, fact, ParameterRole.GRAPH) if fact else None
    found = [given] if given is not None else []
    blocks = [*(frame.node for frame in site.frames), site.statement]
    for item in (item for block in blocks if isinstance(block, ast.With) for item in block.items):
        entered = item.context_expr
        if isinstance(entered, ast.Call) and isinstance(entered.func, ast.Attribute):
            other = analysis.site_of(entered, site.scope)
            if other is not None and has(callgraph.fact_at(analysis, other), Trait.ENTERS_GRAPH):
                found.append(entered.func.value)
    return found


def _is_given_something(function: Scope, own: str) -> bool:
    node = function.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return False
    return any(name.arg != own for name in (*node.args.posonlyargs, *node.args.args))
