"""Whether what a call gives in one iteration of a loop is what it is given in a later one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.semantics.loops.loops import targets
from deepperf.semantics.names.scopes import CallSite, Frame
from deepperf.semantics.text import tree

_MOST_ROUNDS = 8


def feeds_back(loop: Frame, site: CallSite) -> bool:
    """Whether a call in the loop works on what its own result led to, an iteration before.

    Judged by names alone: what is computed from the result, or changed by being given it.
    """
    statements = [part for part in tree.walk(loop.node) if isinstance(part, ast.stmt)]
    reached: set[str] = set()
    # What is set on the iteration's own element, other iterations do not see.
    given = targets(loop) if isinstance(loop.node, (ast.For, ast.AsyncFor)) else set()
    for _ in range(_MOST_ROUNDS):
        before = len(reached)
        for statement in statements:
            reached |= _reached_by(statement, site.node, reached, given)
        if len(reached) == before:
            break
    passed = tree.arguments(site.node)
    return any(
        _rests_on_last(loop, name, site.node.lineno, reached)
        for argument in passed
        for name in _names(argument)
    )


def _rests_on_last(loop: Frame, name: str, line: int, reached: set[str]) -> bool:
    """Whether what a name holds on a line comes from the iteration before.

    What each iteration binds anew before that line rests on no more than what it is bound to.
    """
    given = None
    for statement in getattr(loop.node, "body", []):
        if not isinstance(statement, ast.stmt) or statement.lineno >= line:
            break
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
            bound = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if any(
                isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Store)
                for target in bound
                for part in tree.walk(target)
            ):
                given = statement
        elif any(getattr(part, "id", "") == name for part in tree.walk(statement)):
            given = None  # it may be changed here
            if name in reached:
                return True
    if given is None or given.value is None:
        return name in reached
    return any(_rests_on_last(loop, other, given.lineno, reached) for other in _names(given.value))


def _reached_by(
    statement: ast.stmt, call: ast.Call, reached: set[str], given: set[str]
) -> set[str]:
    if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        value = statement.value
        if value is None or not _rests_on(value, call, reached):
            return set()
        bound = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return {name for target in bound for name in _changed(target)} - given
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        return set(_names(statement.target)) if _rests_on(statement.iter, call, reached) else set()
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        outer = statement.value
        if isinstance(outer.func, ast.Attribute) and any(
            _rests_on(argument, call, reached) for argument in tree.arguments(outer)
        ):
            return set(_names(outer.func.value)) - given
    return set()


def _changed(target: ast.expr) -> Iterator[str]:
    """The names that an assignment binds or changes; none that only says at which place."""
    if isinstance(target, ast.Subscript):
        yield from _changed(target.value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for part in target.elts:
            yield from _changed(part)
    else:
        yield from _names(target)


def _rests_on(node: ast.expr, call: ast.Call, reached: set[str]) -> bool:
    if any(part is call for part in tree.walk(node)):
        return True
    return not reached.isdisjoint(_names(node))


def _names(node: ast.expr) -> Iterator[str]:
    """The names in an expression; of what hangs on `self` its attribute."""
    pending: list[ast.AST] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Attribute):
            chain = ast.unparse(part) if isinstance(part.value, ast.Name) else ""
            if chain.startswith("self."):
                yield chain
                continue
        elif isinstance(part, ast.Name):
            yield part.id
        pending.extend(tree.children(part))
