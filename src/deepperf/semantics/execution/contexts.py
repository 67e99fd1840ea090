"""What surrounds a piece of code when it runs: tapes, graphs, sessions, compiled functions."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Fact, ParameterRole, Trait, has
from deepperf.semantics.calls import callers, callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Branch, CallSite, Frame, Scope, ScopeKind
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import (
    Argument,
    FunctionTerm,
    Instance,
    Method,
    Object,
    Term,
    Unknown,
)

_FORWARD = {"call": "keras.Layer", "forward": "torch.nn.Module"}
MODELS = tuple(_FORWARD.values())
MOST_IMPORTERS = 8
_TRACING = (Trait.COMPILES, Trait.TRACES_ARGUMENT, Trait.MAPS_ELEMENTS, Trait.MAPS_AND_BATCHES)


def managers(analysis: Analysis, frames: tuple[Frame, ...]) -> frozenset[Trait]:
    """The traits of the context managers that the frames enter."""
    if not frames:
        return frozenset()
    key = ("managers", frames[-1])
    return analysis.remember(key, lambda: _managers(analysis, frames), frozenset[Trait]())


def _managers(analysis: Analysis, frames: tuple[Frame, ...]) -> frozenset[Trait]:
    found: set[Trait] = set()
    for frame in frames:
        if isinstance(frame.node, (ast.With, ast.AsyncWith)):
            for item in frame.node.items:
                found |= _manager_traits(analysis, item.context_expr, frame.scope)
    return frozenset(found)


def _manager_traits(analysis: Analysis, node: ast.expr, scope: Scope) -> frozenset[Trait]:
    if isinstance(node, ast.Call):
        fact = callgraph.fact_of_call(analysis, node, scope)
        if fact is not None:
            return fact.traits
    found: set[Trait] = set()
    for term in values.evaluate(analysis, node, scope):
        if isinstance(term, Instance):
            made = analysis.knowledge.fact(term.type)
            if made is not None:
                found |= made.traits
    return frozenset(found)


def decorations(analysis: Analysis, function: Scope) -> tuple[tuple[ast.expr, Fact | None], ...]:
    """The decorators of a function with what is known of them, outermost first.

    A decorator like `partial(jax.jit, static_argnums=0)` is known by what it wraps.
    """
    node = function.node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or function.parent is None:
        return ()
    return tuple(
        (decorator, decorator_fact(analysis, decorator, function.parent))
        for decorator in node.decorator_list
    )


def decorator_fact(analysis: Analysis, node: ast.expr, scope: Scope) -> Fact | None:
    if isinstance(node, ast.Call):
        held = values.evaluate(analysis, node.func, scope)
        names = callgraph.external_names(held)
        if names == ("functools.partial",) and node.args:
            return decorator_fact(analysis, node.args[0], scope)
        return callgraph.fact_of(analysis, held)
    return callgraph.fact_of(analysis, values.evaluate(analysis, node, scope))


def decorator_traits(analysis: Analysis, function: Scope) -> frozenset[Trait]:
    found: set[Trait] = set()
    for _, fact in decorations(analysis, function):
        if fact is not None:
            found |= fact.traits
    return frozenset(found)


def handed_to(analysis: Analysis, function: Scope) -> tuple[tuple[CallSite, Fact], ...]:
    """The known calls in the function's module that take it as their function argument."""
    return analysis.remember(
        ("handed to", function),
        lambda: tuple(_handed_to(analysis, function, function.module_path)),
        (),
    )


def handed_over(analysis: Analysis, function: Scope) -> tuple[tuple[CallSite, Fact], ...]:
    """The known calls in other modules that take it: those that import it, and name it."""

    def find() -> tuple[tuple[CallSite, Fact], ...]:
        home, project = function.module_path, analysis.project
        analysis.asked.add(function.name)
        around = project.importers_naming(home, function.name)
        analysis.touched.update(around[: MOST_IMPORTERS + 1])
        if len(around) > MOST_IMPORTERS:
            return ()
        return tuple(
            found
            for path in around
            if project.texts.may_hand_over(path, function.name)
            for found in _handed_to(analysis, function, path)
        )

    return analysis.remember(("handed over", function), find, ())


def _handed_to(analysis: Analysis, function: Scope, path: str) -> list[tuple[CallSite, Fact]]:
    module = analysis.module(path)
    found = []
    for site in dict.fromkeys(module.calls_given(function)):
        fact = callgraph.fact_at(analysis, site)
        if fact is None:
            continue
        given = callgraph.role_argument(site.node, fact, ParameterRole.FUNCTION)
        if given is None:
            continue
        for term in values.evaluate(analysis, given, site.scope):
            held = term.function if isinstance(term, Method) else term
            if held == FunctionTerm(function):
                found.append((site, fact))
    return found


def runs_natively(analysis: Analysis, scope: Scope) -> bool:
    """Whether a decorator makes machine code of the function, or of what stands around it."""

    def find() -> bool:
        node, parent = scope.node, scope.parent
        if parent is None or isinstance(node, (ast.Module, ast.Lambda)):
            return parent is not None and runs_natively(analysis, parent)
        return runs_natively(analysis, parent) or any(
            (fact := decorator_fact(analysis, decorator, parent)) is not None
            and Trait.RUNS_NATIVELY in fact.traits
            for decorator in getattr(node, "decorator_list", [])
        )

    return analysis.remember(("runs natively", scope), find, otherwise=False)


def is_traced(analysis: Analysis, function: Scope) -> bool:
    """Whether the function's Python body runs only while a framework traces it."""
    return analysis.remember(
        ("traced", function), lambda: _is_traced(analysis, function), otherwise=False
    )


def _is_traced(analysis: Analysis, function: Scope) -> bool:
    if function.kind is not ScopeKind.FUNCTION:
        return False
    if is_compiled(analysis, function):
        return True
    parent = function.parent
    if parent is not None and parent.kind is ScopeKind.FUNCTION and is_traced(analysis, parent):
        return True
    sites = callers.callers(analysis, function)
    return bool(sites) and all(is_traced(analysis, site.scope) for site in sites)


def is_compiled(analysis: Analysis, function: Scope) -> bool:
    """Whether the function, or one around it, is itself compiled or handed to a tracer.

    Unlike for `is_traced`, nobody looks for what calls it.
    """
    if function.kind is not ScopeKind.FUNCTION:
        return False
    if Trait.COMPILES in decorator_traits(analysis, function):
        return True
    if any(not fact.traits.isdisjoint(_TRACING) for _, fact in handed_to(analysis, function)):
        return True
    return function.parent is not None and is_compiled(analysis, function.parent)


def runs_compiled(analysis: Analysis, site: CallSite) -> bool:
    """Whether what a call runs is known to be one function, or object, that was compiled."""
    held = callgraph.callee(analysis, site)
    known = [term for term in held if not isinstance(term, (Argument, Unknown))]
    return len(known) == 1 and _is_compiled_term(analysis, known[0])


def _is_compiled_term(analysis: Analysis, term: Term) -> bool:
    if isinstance(term, Instance) and isinstance(term.site, ast.Call):
        return has(callgraph.fact_of_call(analysis, term.site, term.scope), Trait.COMPILES)
    if isinstance(term, Object):
        run = callgraph.run_method(analysis, term.cls)
    else:
        function = term.function if isinstance(term, Method) else term
        run = function.scope if isinstance(function, FunctionTerm) else None
    return run is not None and Trait.COMPILES in decorator_traits(analysis, run)


def is_keras_call(analysis: Analysis, function: Scope) -> bool:
    """Whether the function is the `call` of a Keras layer or model of the project."""
    return function.name == "call" and is_forward(analysis, function)


def is_forward(analysis: Analysis, function: Scope) -> bool:
    """Whether the function is what a model or layer of the project runs when it is called."""
    cls = classes.enclosing_class(function)
    base = _FORWARD.get(function.name)
    return cls is not None and base is not None and classes.inherits(analysis, cls, base)


def guards(frames: tuple[Frame, ...]) -> tuple[ast.expr, ...]:
    """The conditions of the `if` statements around, innermost last; `else` parts included."""
    return tuple(
        frame.node.test
        for frame in frames
        if isinstance(frame.node, ast.If) and frame.branch in (Branch.BODY, Branch.ELSE)
    )


def is_gradient_free(analysis: Analysis, site: CallSite) -> bool:
    """Whether what stands around a call keeps it from being remembered for gradients."""
    if Trait.NO_GRADIENT in managers(analysis, site.frames):
        return True
    return site.scope.kind is ScopeKind.FUNCTION and Trait.NO_GRADIENT in decorator_traits(
        analysis, site.scope
    )
