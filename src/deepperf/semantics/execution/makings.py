"""The places of a file where functions are compiled or traced."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct

from deepperf.knowledge.schema import Fact, ParameterRole, Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.execution import contexts
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, ScopeKind
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import FunctionTerm, Method

_CONTROL_FLOW = "lax"
"""A word of each file that calls what compiles as it runs."""


class Making(Struct, frozen=True, eq=False):
    """A place where a function is compiled: a call, or a decorator as the call it stands for.

    `node` is the call or decorator as it stands in the text; `function` what is compiled, and
    `others` what is compiled with it.
    """

    site: CallSite
    node: ast.expr
    fact: Fact
    function: ast.expr
    decorated: Scope | None
    others: tuple[ast.expr, ...] = ()

    @property
    def runs_at_once(self) -> bool:
        """Whether the call runs what it compiles, and keeps to compiled code that it is part of."""
        return Trait.COMPILES_UNLESS_TRACED in self.fact.traits


def makings(analysis: Analysis, path: str) -> Iterator[Making]:
    """The places in a file, run more than once perhaps, that compile a function."""
    yield from (made for made in _makings(analysis, path) if not _stands_in(made))


def _stands_in(made: Making) -> bool:
    """Whether it only marks a place of an exported model, for a converter to fill."""
    node = made.node
    given = isinstance(node, ast.Call) and callgraph.role_argument(
        node, made.fact, ParameterRole.STAND_IN
    )
    return bool(given)


def _makings(analysis: Analysis, path: str) -> Iterator[Making]:
    module = analysis.module(path)
    names = analysis.project.trigger_names(frozenset((Trait.COMPILES,)))
    for site in module.calls_of_renamed(names):
        if site.scope.kind is ScopeKind.FUNCTION or _is_in_loop(site.frames):
            made = _made_by_call(analysis, site)
            if made is not None:
                yield made
    for site in module.calls_named("partial"):
        yield from _made_by_partial(analysis, site)
    if _CONTROL_FLOW in module.source.text:
        running = analysis.project.trigger_names(frozenset((Trait.COMPILES_UNLESS_TRACED,)))
        for site in module.calls_of_renamed(running):
            made = _made_by_running(analysis, site)
            if made is not None:
                yield made
    for scope in module.scopes.by_node.values():
        made = _made_by_decorator(analysis, scope)
        if made is not None:
            yield made


def _is_in_loop(frames: tuple[Frame, ...]) -> bool:
    return any(frame.is_loop for frame in frames)


def _made_by_call(analysis: Analysis, site: CallSite) -> Making | None:
    fact = callgraph.fact_at(analysis, site)
    if not has(fact, Trait.COMPILES):
        return None
    function = callgraph.role_argument(site.node, fact, ParameterRole.FUNCTION)
    outer = site
    if function is None:
        # `compile(option=…)(f)`
        found = [other for other in site.scope.calls if other.node.func is site.node]
        if not found or not found[0].node.args:
            return None
        outer, function = found[0], found[0].node.args[0]
    parent = analysis.parents_in(site.scope).get(id(outer.node))
    if isinstance(parent, ast.Call) and outer.node in parent.args:
        around = callgraph.fact_of_call(analysis, parent, site.scope)
        if has(around, Trait.COMPILES):
            return None
    return Making(outer, outer.node, fact, function, None)


def _made_by_running(analysis: Analysis, site: CallSite) -> Making | None:
    """What a loop or a choice of a framework compiles of the functions that it is given."""
    fact = callgraph.fact_at(analysis, site)
    if not has(fact, Trait.COMPILES_UNLESS_TRACED):
        return None
    body = callgraph.role_argument(site.node, fact, ParameterRole.FUNCTION)
    given = [
        part
        for argument in tree.arguments(site.node)
        for part in (argument.elts if isinstance(argument, ast.List) else (argument,))
        if argument is body or _are_functions(analysis, part, site.scope)
    ]
    return Making(site, site.node, fact, given[0], None, tuple(given[1:])) if given else None


def _are_functions(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    if not isinstance(node, (ast.Lambda, ast.Name, ast.Attribute)):
        return False
    held = values.evaluate(analysis, node, scope)
    return bool(held) and all(isinstance(term, (FunctionTerm, Method)) for term in held)


def _made_by_partial(analysis: Analysis, partial: CallSite) -> Iterator[Making]:
    """What is compiled by the calls of `partial(compile, option=…)`, or of a name it is given."""
    fact = contexts.decorator_fact(analysis, partial.node, partial.scope)
    if not has(fact, Trait.COMPILES):
        return
    calls = [site for site in partial.scope.calls if site.node.func is partial.node]
    statement = partial.statement
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        calls += analysis.module_of(partial.scope).calls_named(statement.targets[0].id)
    for site in calls:
        if site.scope.kind is ScopeKind.FUNCTION or _is_in_loop(site.frames):
            held = callgraph.partial_of(analysis, callgraph.callee(analysis, site))
            if held is not None and held.site is partial.node and site.node.args:
                yield Making(site, site.node, fact, site.node.args[0], None)


def _made_by_decorator(analysis: Analysis, scope: Scope) -> Making | None:
    node, parent = scope.node, scope.parent
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or not node.decorator_list:
        return None
    if parent is None or parent.kind is ScopeKind.CLASS:
        return None
    if parent.kind is ScopeKind.MODULE and not _is_in_loop(scope.frames):
        return None
    for decorator, fact in contexts.decorations(analysis, scope):
        if has(fact, Trait.COMPILES):
            name = ast.copy_location(ast.Name(node.name, ast.Load()), decorator)
            call = ast.copy_location(ast.Call(decorator, [name], []), decorator)
            site = CallSite(call, parent, scope.frames, node)
            return Making(site, decorator, fact, name, scope)
    return None
