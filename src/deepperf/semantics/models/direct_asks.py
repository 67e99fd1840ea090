"""Calls that run a model of Keras once, on a known number of rows, for the host to read."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import callgraph, reach
from deepperf.semantics.execution import contexts
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.files.outline import root_name
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import CallSite, last_name
from deepperf.semantics.sizes import rows
from deepperf.semantics.text.wording import imported_names
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import Argument, Instance, Object, Unknown

_MODEL = "keras.Model"
_NUMBERS = ("float", "int")


def direct_calls(analysis: Analysis, path: str) -> Iterator[tuple[CallSite, int]]:
    """The calls of a file that ask a model itself, outside of training, and about how many rows."""
    asking = analysis.project.trigger_names(frozenset((Trait.ASKS,)))
    read = _read_calls(analysis, path)
    for site in analysis.module(path).scopes.call_sites.values():
        if not site.node.args or not isinstance(site.node.func, (ast.Name, ast.Attribute)):
            continue
        is_method = last_name(site.node.func) in asking
        # What is cheap to see is looked at first: the host reads the results of few calls.
        if not is_method and id(site.node) not in read:
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


def _read_calls(analysis: Analysis, path: str) -> frozenset[int]:
    """The ids of the calls of a file from whose results, or parts of them, numbers are made.

    Whoever makes the numbers names the result's call itself, or a name bound to it alone.
    """
    module = analysis.module(path)
    numpy = {
        alias or (name or package).partition(".")[0]
        for package, name, alias in imported_names(module.source.text)
        if package.partition(".")[0] == "numpy"
    }
    found: set[int] = set()
    for site in module.scopes.call_sites.values():
        for made in _numbered(analysis, site, numpy):
            if isinstance(made, ast.Call):
                found.add(id(made))
            elif isinstance(made, ast.Name):
                for definition in module.flow(site.scope).uses.get(id(made), ()):
                    root = _root(definition.value) if definition.value is not None else None
                    if definition.binding is Binding.ASSIGNED and not definition.unpacking:
                        found.add(id(root))
    return frozenset(found)


def _numbered(analysis: Analysis, site: CallSite, numpy: set[str]) -> list[ast.expr]:
    """What a call makes numbers of: by a method, `float`, or a function of NumPy.

    `numpy` are the names that the file has for NumPy and for what is in it.
    """
    function = site.node.func
    if isinstance(function, ast.Attribute) and function.attr == "numpy":
        return [_root(function.value)]
    roots = [_root(argument) for argument in site.node.args]
    roots = [root for root in roots if isinstance(root, (ast.Call, ast.Name))]
    if not roots:
        return []
    if isinstance(function, ast.Name) and function.id in _NUMBERS:
        return roots
    if root_name(function) not in numpy:
        return []
    names = callgraph.external_names(values.evaluate(analysis, function, site.scope))
    return roots if names and names[0].startswith("numpy.") else []


def _root(node: ast.expr) -> ast.expr:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node
