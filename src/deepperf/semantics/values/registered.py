"""What decorators put into a registry: `@register("adam")` over a function or class.

The decorator writes `REGISTRY[name] = function`; what it is given stands below each `@`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.semantics.calls import decorated
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope, ScopeKind, parameters


def entries(
    analysis: Analysis, key: ast.expr | None, value: ast.expr, scope: Scope
) -> Iterator[tuple[ast.expr | None, ast.expr, Scope]]:
    """What a decorator puts into a container by writing `value` under `key`, with its keys.

    `scope` is the function that writes; nothing where that is no decorator, or writes something
    else than what it decorates.
    """
    if not isinstance(value, ast.Name) or _first_parameter(scope) != value.id:
        return
    maker = scope.parent
    if maker is not None and not decorated.is_returned(scope, maker):
        maker = None
    for function, decorator in decorated.decorated_by(analysis, maker or scope):
        if isinstance(decorator, ast.Call) is (maker is not None) and function.parent is not None:
            named = ast.Name(function.name, ast.Load())
            yield _key(key, value.id, function, decorator, maker), named, function.parent


def _first_parameter(scope: Scope) -> str | None:
    if scope.kind is not ScopeKind.FUNCTION or isinstance(scope.node, (ast.Module, ast.ClassDef)):
        return None
    given = scope.node.args
    positional = [*given.posonlyargs, *given.args]
    return positional[0].arg if positional else None


def _key(
    written: ast.expr | None, value: str, function: Scope, decorator: ast.expr, maker: Scope | None
) -> ast.expr | None:
    """The key under which one function stands; None where it is not told."""
    if isinstance(written, ast.Constant):
        return written
    if isinstance(written, ast.Attribute) and getattr(written.value, "id", None) == value:
        return ast.Constant(function.name) if written.attr == "__name__" else None
    if not isinstance(written, ast.Name) or maker is None or not isinstance(decorator, ast.Call):
        return None
    if isinstance(maker.node, (ast.Module, ast.ClassDef)):
        return None
    names = [one.arg for one in parameters(maker.node)]
    if written.id not in names:
        return None
    place = names.index(written.id)
    by_name = (one.value for one in decorator.keywords if one.arg == written.id)
    return decorator.args[place] if place < len(decorator.args) else next(by_name, None)
