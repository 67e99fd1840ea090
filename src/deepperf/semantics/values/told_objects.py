"""Of which class a parameter is that nobody is seen to pass, told by what is called of it.

Where one class alone has a method so called, and no framework has one, it is that: the name is of
several words, or the class stands beside.
"""

from __future__ import annotations

import ast
import builtins

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope, ScopeKind, parameters
from deepperf.semantics.values.terms import Object, Value

_BUILT_IN = frozenset(
    name for kind in (bytes, dict, float, list, set, str, tuple) for name in dir(kind)
) | frozenset(dir(builtins))


def objects(analysis: Analysis, function: Scope, name: str) -> Value:
    """An object of the class; nothing where the calls do not tell, or tell of several."""
    node = function.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return ()

    def find() -> dict[str, set[Scope]]:
        found: dict[str, set[Scope]] = {}
        analysis.module_of(function)
        given = {one.arg for one in parameters(node)}
        for site in function.calls:
            called = site.node.func
            if (
                isinstance(called, ast.Attribute)
                and isinstance(called.value, ast.Name)
                and called.value.id in given
            ):
                method = _told(analysis, site, called.attr)
                if method is not None and method.parent is not None:
                    found.setdefault(called.value.id, set()).add(method.parent)
        return found

    nothing: dict[str, set[Scope]] = {}
    told = analysis.remember(("told objects", function), find, nothing).get(name, set())
    return tuple(Object(cls) for cls in told) if len(told) == 1 else ()


def _told(analysis: Analysis, site: CallSite, name: str) -> Scope | None:
    if name.startswith("_") or name in _BUILT_IN or name in _known(analysis):
        return None
    method = only_method(analysis, name)
    if method is None or not _fits(method, site.node):
        return None
    return method if "_" in name or method.module_path == site.scope.module_path else None


def _known(analysis: Analysis) -> frozenset[str]:
    """The last names of all that frameworks have."""
    facts = analysis.knowledge.facts
    return analysis.project.named(
        "last names", lambda: frozenset(name.rpartition(".")[2] for name in facts)
    )


def _fits(method: Scope, call: ast.Call) -> bool:
    """Whether a method can be given what a call gives it."""
    node = method.node
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    arguments = node.args
    if any(isinstance(given, ast.Starred) for given in call.args):
        return False
    taken = [one.arg for one in (*arguments.posonlyargs, *arguments.args)][1:]
    named = {keyword.arg for keyword in call.keywords}
    rest = taken[len(call.args) :]
    must = set(taken[len(call.args) : len(taken) - len(arguments.defaults)])
    allowed = {*rest, *(one.arg for one in arguments.kwonlyargs)}
    is_short = len(call.args) <= len(taken) or arguments.vararg is not None
    return is_short and must <= named and (named <= allowed or arguments.kwarg is not None)


def only_method(analysis: Analysis, name: str) -> Scope | None:
    """The one function of the project so named, if it is a method of a class."""
    return analysis.remember(("told by name", name), lambda: _only_method(analysis, name), None)


def _only_method(analysis: Analysis, name: str) -> Scope | None:
    project = analysis.project
    analysis.asked.add(name)

    def homes() -> frozenset[str]:
        return frozenset(p for p in project.naming(name) if name in project.names_defined(p))

    defining = project.named(f"defining {name}", homes)
    if len(defining) != 1:
        return None
    (home,) = defining
    found = [scope for scope in analysis.module(home).all_scopes if scope.name == name]
    if len(found) != 1 or found[0].parent is None or found[0].parent.kind is not ScopeKind.CLASS:
        return None
    # A class within a class is called like a method, too.
    if not isinstance(found[0].node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    return None if found[0].node.decorator_list else found[0]
