"""Functions that run in the place of others: what the project's own decorators make of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope, ScopeKind, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import ClassTerm, FunctionTerm

MOST_FILES = 8
_DESCRIBING = frozenset(("getfullargspec", "signature", "update_wrapper", "wraps"))
"""What looks at a function without calling it."""


def wrappers(analysis: Analysis, function: Scope) -> tuple[Scope, ...]:
    """The functions that decorators of the project put in the place of one that they are given."""
    node = function.node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or not node.decorator_list:
        return ()
    return analysis.remember(("wrappers", function), lambda: _wrappers(analysis, function), ())


def _wrappers(analysis: Analysis, function: Scope) -> tuple[Scope, ...]:
    node, around = function.node, function.parent
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    found: dict[Scope, None] = {}
    for decorator in node.decorator_list if around is not None else ():
        assert around is not None
        for term in values.evaluate(analysis, decorator, around):
            if isinstance(term, FunctionTerm):
                for made in values.returned(analysis, term.scope):
                    if isinstance(made, FunctionTerm) and made.scope.parent is term.scope:
                        found[made.scope] = None
            elif isinstance(term, ClassTerm):
                run = classes.method_of(analysis, term.scope, "__call__")
                if isinstance(run, Scope):
                    found[run] = None
    return tuple(found)


def runs_where_decorated(analysis: Analysis, function: Scope) -> bool:
    """Whether a decorator runs a function itself, and what it gives instead never does."""
    made = wrappers(analysis, function)
    return bool(made) and all(
        one.parent is not None and _leaves_alone(one, one.parent) for one in made
    )


def _leaves_alone(wrapper: Scope, maker: Scope) -> bool:
    """Whether the maker of a wrapper calls what it decorates, and hands it to nothing else."""
    node, inner = maker.node, wrapper.node
    if not isinstance(node, ast.FunctionDef) or not node.args.args:
        return False
    decorated = node.args.args[0].arg
    parents = tree.parents(node)
    steps = [inner.body] if isinstance(inner, ast.Lambda) else inner.body
    body = {id(part) for one in steps for part in tree.walk(one)}
    is_called = False
    for part in tree.walk(node):
        if not isinstance(part, ast.Name) or part.id != decorated:
            continue
        parent = parents[id(part)]
        if id(part) in body:
            return False
        if isinstance(parent, ast.Call) and parent.func is part:
            is_called = True
        elif not isinstance(parent, ast.Attribute) and not (
            isinstance(parent, ast.Call) and last_name(parent.func) in _DESCRIBING
        ):
            return False
    return is_called


def in_place_of(analysis: Analysis, wrapper: Scope) -> tuple[Scope, ...]:
    """The functions in whose place a decorator puts one that it makes."""
    decorator = _decorator(wrapper)
    if decorator is None:
        return ()
    return analysis.remember(
        ("in place of", wrapper), lambda: _in_place_of(analysis, wrapper, decorator), ()
    )


def _in_place_of(analysis: Analysis, wrapper: Scope, decorator: str) -> tuple[Scope, ...]:
    found = (scope for scope, _ in _under(analysis, wrapper.module_path, decorator))
    functions = (scope for scope in found if scope.kind is ScopeKind.FUNCTION)
    return tuple(one for one in dict.fromkeys(functions) if wrapper in wrappers(analysis, one))


def decorated_by(analysis: Analysis, decorator: Scope) -> tuple[tuple[Scope, ast.expr], ...]:
    """The functions and classes that the project decorates with a function, and by which words."""

    def find() -> tuple[tuple[Scope, ast.expr], ...]:
        return tuple(
            (scope, node)
            for scope, node in _under(analysis, decorator.module_path, decorator.name)
            if scope.parent is not None
            and any(
                term == FunctionTerm(decorator)
                for term in values.evaluate(analysis, _named(node), scope.parent)
            )
        )

    return analysis.remember(("decorated by", decorator), find, ())


def _under(analysis: Analysis, home: str, decorator: str) -> Iterator[tuple[Scope, ast.expr]]:
    """What stands below decorators of a name, in its file and those that import it."""
    project = analysis.project
    analysis.asked.add(decorator)
    around = project.importers_naming(home, decorator)
    analysis.touched.update(around[: MOST_FILES + 1])
    for path in (home, *(around if len(around) <= MOST_FILES else ())):
        if f"@{decorator}" in (text := project.sources[path].text) or f".{decorator}" in text:
            for scope in analysis.module(path).scopes.by_node.values():
                for node in getattr(scope.node, "decorator_list", ()):
                    if last_name(_named(node)) == decorator:
                        yield scope, node


def _named(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _decorator(wrapper: Scope) -> str | None:
    """The name by which a function would be used as, or asked for, a decorator that makes this."""
    maker = wrapper.parent
    if wrapper.kind is not ScopeKind.FUNCTION or maker is None or not is_returned(wrapper, maker):
        return None
    outer = maker.parent
    if outer is not None and is_returned(maker, outer):
        return outer.name
    return maker.name


def is_returned(function: Scope, parent: Scope) -> bool:
    """Whether the function around gives it to its callers, as it is."""
    return parent.kind is ScopeKind.FUNCTION and any(
        node is function.node or getattr(node, "id", None) == function.name
        for node in parent.returns
    )
