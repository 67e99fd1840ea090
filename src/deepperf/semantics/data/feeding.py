"""Whether what an expression gives comes, through names and calls, to train a model."""

from __future__ import annotations

import ast

from msgspec import Struct

from deepperf.knowledge.schema import Fact, Trait
from deepperf.semantics.calls import callers, callgraph, reach
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import CallSite, Scope, ScopeKind
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values

MOST_STEPS = 160
TRAINING = frozenset((Trait.FITS, Trait.STEPS_TRAINING))
_ITERATING = ("__iter__", "__next__")
_DEAD_ENDS = frozenset((Trait.PRINTS, Trait.PREDICTS, Trait.EVALUATES))


class Place(Struct, frozen=True):
    """An expression whose value is followed, and the scope that it stands in."""

    node: ast.expr
    scope: Scope


def trainer_of(analysis: Analysis, node: ast.expr, scope: Scope) -> Fact | None:
    """The callable that trains with what an expression gives, or with what is made from it."""
    return analysis.remember(
        ("trainer", node), lambda: _trainer(analysis, Place(node, scope)), None
    )


def _trainer(analysis: Analysis, start: Place) -> Fact | None:
    pending = [start]
    seen: set[int] = set()
    for _ in range(MOST_STEPS):
        if not pending:
            return None
        place = pending.pop(0)
        if id(place.node) in seen:
            continue
        seen.add(id(place.node))
        found = _climb(analysis, place, pending)
        if found is not None:
            return found
    return None


def _climb(analysis: Analysis, place: Place, pending: list[Place]) -> Fact | None:
    """Go up from an expression to its statement; what it flows to is left in `pending`."""
    around = parents(analysis, place.scope)
    node: ast.AST = place.node
    while True:
        parent = around.get(id(node))
        if parent is None or isinstance(parent, (ast.Lambda, ast.FunctionDef, ast.ClassDef)):
            return None
        if isinstance(parent, ast.Call):
            trains, goes_on = _through_call(analysis, parent, node, place.scope, pending)
            if trains is not None:
                return trains
            if not goes_on:
                return None
        elif isinstance(parent, (ast.For, ast.AsyncFor)):
            if node is parent.iter:
                _follow_target(analysis, parent.target, place.scope, pending)
            return None
        elif isinstance(parent, ast.comprehension):
            return None
        elif isinstance(parent, (ast.Return, ast.Yield)):
            _follow_callers(analysis, place.scope, pending)
            return None
        elif isinstance(parent, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
            for target in targets:
                _follow_target(analysis, target, place.scope, pending)
            return None
        elif isinstance(parent, ast.NamedExpr):
            _follow_target(analysis, parent.target, place.scope, pending)
        elif isinstance(parent, ast.stmt):
            return None
        node = parent


def _through_call(
    analysis: Analysis, call: ast.Call, node: ast.AST, scope: Scope, pending: list[Place]
) -> tuple[Fact | None, bool]:
    """What trains in a call that is given the value, and whether its result is followed."""
    site = analysis.site_of(call, scope)
    if site is None:
        return None, True
    fact = callgraph.fact_at(analysis, site)
    if fact is not None:
        if not fact.traits.isdisjoint(TRAINING):
            return fact, False
        if not fact.traits.isdisjoint(_DEAD_ENDS):
            return None, False
    for target in callgraph.targets(analysis, site):
        if node is call.func:
            continue
        inner = reach.sites_of(analysis, target.function, TRAINING)
        for step in inner:
            return callgraph.fact_at(analysis, step), False
        for name, argument in callgraph.bound_arguments(call, target).items():
            if argument is node:
                follow_name(analysis, name, target.function, pending)
    return None, True


# Where a value goes on


def _follow_target(
    analysis: Analysis, target: ast.expr, scope: Scope, pending: list[Place]
) -> None:
    for part in tree.walk(target):
        if isinstance(part, ast.Name) and not isinstance(target, ast.Attribute):
            follow_name(analysis, part.id, scope, pending, part)
        elif isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
            _follow_attribute(analysis, part.attr, scope, pending)


def follow_name(
    analysis: Analysis,
    name: str,
    scope: Scope,
    pending: list[Place],
    bound_at: ast.Name | None = None,
) -> None:
    """The uses of a name that may see the binding at `bound_at`, or the parameter."""
    flow = analysis.module_of(scope).flow(scope)
    for part in _names(analysis, scope).get(name, ()):
        found = flow.uses.get(id(part), ())
        if any(_is_binding(definition, bound_at) for definition in found):
            pending.append(Place(part, scope))
    if scope.kind is not ScopeKind.MODULE:
        return
    pending.extend(
        Place(part, inner)
        for inner, part in _read_within(analysis, scope).get(name, ())
        if values.definitions_of(analysis, part, inner)
    )


def _read_within(analysis: Analysis, module: Scope) -> dict[str, list[tuple[Scope, ast.Name]]]:
    """The names of a module that functions and classes in it read, and where."""

    def find() -> dict[str, list[tuple[Scope, ast.Name]]]:
        found: dict[str, list[tuple[Scope, ast.Name]]] = {}
        for inner in module.walk()[1:]:
            for name, parts in _names(analysis, inner).items():
                if name not in inner.bound:
                    found.setdefault(name, []).extend((inner, part) for part in parts)
        return found

    return analysis.remember(("read within", module), find, {})


def _is_binding(definition: Definition, bound_at: ast.Name | None) -> bool:
    if bound_at is None:
        return definition.binding is Binding.PARAMETER
    line = getattr(definition.node, "lineno", 0)
    end = getattr(definition.node, "end_lineno", 0) or line
    return bool(line <= bound_at.lineno <= end) or definition.node is bound_at


def _follow_attribute(analysis: Analysis, name: str, scope: Scope, pending: list[Place]) -> None:
    """The uses of an attribute of this name in the same file."""
    for inner in analysis.module_of(scope).all_scopes:
        pending.extend(Place(part, inner) for part in _attributes(analysis, inner).get(name, ()))


def _attributes(analysis: Analysis, scope: Scope) -> dict[str, list[ast.Attribute]]:
    """The attributes that are read in a scope, functions within it apart, by name."""

    def find() -> dict[str, list[ast.Attribute]]:
        inner = {id(part) for child in scope.children for part in tree.walk(child.node)}
        found: dict[str, list[ast.Attribute]] = {}
        for part in tree.walk(scope.node):
            is_read = isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Load)
            if is_read and id(part) not in inner:
                found.setdefault(part.attr, []).append(part)  # type: ignore[attr-defined, arg-type]
        return found

    return analysis.remember(("attributes", scope), find, {})


def _follow_callers(analysis: Analysis, function: Scope, pending: list[Place]) -> None:
    if function.kind is ScopeKind.FUNCTION:
        called = _maker_of_iterated(function) or function
        pending.extend(Place(site.node, site.scope) for site in callers.callers(analysis, called))


def _maker_of_iterated(function: Scope) -> Scope | None:
    """What makes the objects of a class, for the method that a loop over them runs."""
    cls = classes.enclosing_class(function)
    if cls is None or function.name not in _ITERATING:
        return None
    return classes.methods_of(cls).get("__init__")


# The tree, upwards


def parents(analysis: Analysis, scope: Scope) -> dict[int, ast.AST]:
    def find() -> dict[int, ast.AST]:
        return tree.parents(analysis.module_of(scope).scopes.module.node)

    return analysis.remember(("parents", scope.module_path), find, {})


def _names(analysis: Analysis, scope: Scope) -> dict[str, list[ast.Name]]:
    """The names that are read in a scope, functions within it apart."""

    def find() -> dict[str, list[ast.Name]]:
        found: dict[str, list[ast.Name]] = {}
        uses = analysis.module_of(scope).flow(scope).uses
        for part in tree.walk(scope.node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                is_own = id(part) in uses or part.id not in scope.bound
                if is_own:
                    found.setdefault(part.id, []).append(part)
        return found

    return analysis.remember(("names", scope), find, {})


def trains_in(analysis: Analysis, site: CallSite) -> bool:
    """Whether a loop whose iterations run the call, there or further up, takes training steps."""
    loops = [*site.loops]
    loops += [frame for frame, _ in reach.function_loop_paths(analysis, site.scope)]
    stepping = frozenset((Trait.STEPS_TRAINING,))
    return any(bool(reach.reached_sites(analysis, loop, stepping)) for loop in loops)
