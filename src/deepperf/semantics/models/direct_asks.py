"""Calls that run a model of Keras once, on a known number of rows, for the host to read."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import callgraph, reach
from deepperf.semantics.execution import contexts
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope, last_name
from deepperf.semantics.sizes import rows
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import Argument, Instance, Object, Unknown

_MODEL = "keras.Model"
_NUMBERS = ("float", "int")


def direct_calls(analysis: Analysis, path: str) -> Iterator[tuple[CallSite, int]]:
    """The calls of a file that ask a model itself, outside of training, and about how many rows."""
    asking = analysis.project.trigger_names(frozenset((Trait.ASKS,)))
    for site in analysis.module(path).scopes.call_sites.values():
        if not site.node.args or not isinstance(site.node.func, (ast.Name, ast.Attribute)):
            continue
        is_method = last_name(site.node.func) in asking
        # What is cheap to see is looked at first: few calls are read on the host.
        if not is_method and not _is_read(analysis, site):
            continue
        if not reach.may_repeat(analysis, site):
            continue
        if not (_is_method_asking(analysis, site) if is_method else _is_model(analysis, site)):
            continue
        count = rows.input_rows(analysis, site.node.args[0], site.scope)
        if count is not None and not _is_trained(analysis, site):
            yield site, count


def is_unknown_object(analysis: Analysis, site: CallSite) -> bool:
    """Whether a method is called of a parameter, or of something nothing is known of.

    Not so if the file has a function of this name itself.
    """
    function = site.node.func
    if not isinstance(function, ast.Attribute):
        return False
    held = values.evaluate(analysis, function.value, site.scope)
    if not held or not all(isinstance(term, (Argument, Unknown)) for term in held):
        return False
    return function.attr not in analysis.project.names_defined(site.scope.module_path)


def _is_method_asking(analysis: Analysis, site: CallSite) -> bool:
    fact = callgraph.fact_at(analysis, site)
    return Trait.ASKS in fact.traits if fact is not None else is_unknown_object(analysis, site)


def _is_model(analysis: Analysis, site: CallSite) -> bool:
    return any(
        isinstance(term, (Instance, Object)) and _MODEL in classes.instance_type(analysis, term)
        for term in callgraph.callee(analysis, site)
    )


def _is_trained(analysis: Analysis, site: CallSite) -> bool:
    if Trait.RECORDS_GRADIENT in contexts.managers(analysis, site.frames):
        return True
    return contexts.is_traced(analysis, site.scope)


def _is_read(analysis: Analysis, site: CallSite) -> bool:
    """Whether the statement, or what the scope does with the name it binds, fetches numbers."""
    if _fetches(analysis, site.node, site.statement, site.scope):
        return True
    statement = site.statement
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return False
    if _root(statement.value) is not site.node:
        return False
    flow = analysis.module_of(site.scope).flow(site.scope)
    return any(
        isinstance(part, ast.Name)
        and any(d.value is statement.value for d in flow.uses.get(id(part), ()))
        and _fetches(analysis, part, site.scope.node, site.scope)
        for part in tree.walk(site.scope.node)
        if getattr(part, "id", "") == statement.targets[0].id
    )


def _root(node: ast.expr) -> ast.expr:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node


def _fetches(analysis: Analysis, wanted: ast.expr, whole: ast.AST, scope: Scope) -> bool:
    """Whether a call within `whole` makes numbers of what is wanted, or of parts of it."""
    for part in tree.walk(whole):
        if not isinstance(part, ast.Call) or part is wanted:
            continue
        function = part.func
        if isinstance(function, ast.Attribute) and _root(function.value) is wanted:
            if function.attr == "numpy":
                return True
        elif any(_root(argument) is wanted for argument in part.args):
            if isinstance(function, ast.Name) and function.id in _NUMBERS:
                return True
            names = callgraph.external_names(values.evaluate(analysis, function, scope))
            if names and names[0].startswith("numpy."):
                return True
    return False


__all__ = ["direct_calls", "is_unknown_object"]
