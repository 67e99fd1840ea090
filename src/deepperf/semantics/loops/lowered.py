"""Flags that the first time lowers: `if self.is_new: self.make()`, where `make` clears it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Branch, CallSite, Frame, ScopeKind
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes


def is_lowered(analysis: Analysis, choice: Frame, site: CallSite, loop: Frame | None) -> bool:
    """Whether an `if` around a call asks for a flag that is lowered there for good.

    `loop` is a loop around the call, None to ask about the calls of its function.
    """
    if not isinstance(choice.node, ast.If) or choice.branch not in (Branch.BODY, Branch.ELSE):
        return False
    block = choice.node.body if choice.branch is Branch.BODY else choice.node.orelse
    return any(
        _is_cleared(analysis, flag, block, site) and not _is_raised(flag, site, loop)
        for flag in _raised(choice.node.test, choice.branch)
    )


def _raised(test: ast.expr, taken: Branch) -> Iterator[ast.Name | ast.Attribute]:
    """The names that hold something true where a test sends the program down a branch."""
    held = taken is Branch.BODY
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _raised(test.operand, Branch.ELSE if held else Branch.BODY)
    elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and held:
        for value in test.values:
            yield from _raised(value, taken)
    elif held and isinstance(test, (ast.Name, ast.Attribute)):
        yield test


def _is_cleared(
    analysis: Analysis, flag: ast.Name | ast.Attribute, block: list[ast.stmt], site: CallSite
) -> bool:
    if any(_is_falsy(value) for value in _set_to(flag, block)):
        return True
    if not isinstance(flag, ast.Attribute) or not classes.is_of_own_object(flag, site.scope):
        return False
    first, last = block[0].lineno, block[-1].end_lineno or 0
    return any(
        _is_falsy(value)
        for other in site.scope.calls
        if first <= other.node.lineno <= last
        and classes.is_of_own_object(other.node.func, site.scope)
        for target in callgraph.targets(analysis, other)
        for value in _set_to(flag, [target.function.node])
    )


def _is_raised(flag: ast.Name | ast.Attribute, site: CallSite, loop: Frame | None) -> bool:
    """Whether something raises the flag again: in the loop, or once the object is made."""
    scope = site.scope
    if isinstance(flag, ast.Name):
        if loop is not None:
            return not _is_only_lowered(flag, [loop.node])
        is_own = flag.id in scope.bound and flag.id not in scope.outer_names
        if is_own and scope.kind is ScopeKind.FUNCTION:
            return True
        while scope.parent is not None:
            scope = scope.parent
        return not _is_only_lowered(flag, [child.node for child in scope.children])
    owner = classes.enclosing_class(scope)
    if owner is None or not classes.is_of_own_object(flag, scope):
        return True
    later = [method.node for method in owner.children if method.name != "__init__"]
    return not _is_only_lowered(flag, later)


def _is_only_lowered(flag: ast.Name | ast.Attribute, block: Sequence[ast.AST]) -> bool:
    return all(_is_falsy(value) for value in _set_to(flag, block))


def _set_to(flag: ast.Name | ast.Attribute, block: Sequence[ast.AST]) -> Iterator[ast.expr | None]:
    """What statements set the flag to, None for what is not told."""
    wanted = ast.unparse(flag)
    told: set[int] = set()
    for part in (part for one in block for part in tree.walk(one)):
        if isinstance(part, (ast.Assign, ast.AnnAssign)):
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            for target in targets:
                if isinstance(target, (ast.Name, ast.Attribute)) and ast.unparse(target) == wanted:
                    told.add(id(target))
                    yield part.value
    for part in (part for one in block for part in tree.walk(one)):
        if (
            isinstance(part, (ast.Name, ast.Attribute))
            and isinstance(part.ctx, (ast.Store, ast.Del))
            and id(part) not in told
            and ast.unparse(part) == wanted
        ):
            yield None


def _is_falsy(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and not value.value
