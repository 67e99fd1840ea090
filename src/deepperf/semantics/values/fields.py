"""The fields of dataclasses and named tuples: what the calls that make them give."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.semantics.calls import callers
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import Value, union

_DECORATORS = frozenset(("dataclass", "define", "frozen"))
_SPECIFIERS = frozenset(("field", "Field"))
"""What says more of a field than its default: of dataclasses, attrs and Pydantic."""
_NAMED_TUPLE = "typing.NamedTuple"


def given(analysis: Analysis, cls: Scope, name: str) -> Value:
    """What the project's calls of the class pass for a field; nothing for other attributes."""
    order = _fields(analysis, cls, name)
    if name not in order:
        return ()
    nothing: Value = ()
    return analysis.remember(
        ("field", cls, name), lambda: _given(analysis, cls, name, order), nothing
    )


def passed(analysis: Analysis, cls: Scope, name: str) -> Iterator[tuple[ast.expr, Scope]]:
    """The same as expressions, each with where it stands."""
    order = _fields(analysis, cls, name)
    if name in order:
        yield from _each_given(analysis, cls, name, order)


def _fields(analysis: Analysis, cls: Scope, name: str) -> tuple[str, ...]:
    """The fields of a class that may have one so called."""
    none: tuple[str, ...] = ()
    if name not in cls.bound and len(classes.ancestors(analysis, cls)) == 1:
        return none
    return analysis.remember(("fields", cls), lambda: _order(analysis, cls), none)


def default(cls: Scope, name: str) -> ast.expr | None:
    """What a field of a dataclass or named tuple holds where the call that makes it is silent."""
    assert isinstance(cls.node, ast.ClassDef)
    found = next(
        (
            statement.value
            for statement in cls.node.body
            if isinstance(statement, ast.AnnAssign)
            and isinstance(statement.target, ast.Name)
            and statement.target.id == name
        ),
        None,
    )
    if isinstance(found, ast.Call) and last_name(found.func) in _SPECIFIERS:
        found = tree.argument(found, 0, "default")
    is_required = isinstance(found, ast.Constant) and found.value is ...
    return None if is_required else found


def _order(analysis: Analysis, cls: Scope) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_names(analysis, cls)))


def _given(analysis: Analysis, cls: Scope, name: str, order: tuple[str, ...]) -> Value:
    each = _each_given(analysis, cls, name, order)
    found = [values.evaluate(analysis, node, scope) for node, scope in each]
    return union(*found) if found else ()


def _each_given(
    analysis: Analysis, cls: Scope, name: str, order: tuple[str, ...]
) -> Iterator[tuple[ast.expr, Scope]]:
    with analysis.going_up() as may_go_up:
        for site in callers.constructions(analysis, cls) if may_go_up else ():
            node = _passed(site.node, order).get(name)
            if node is not None:
                yield node, site.scope


def _names(analysis: Analysis, cls: Scope) -> Iterator[str]:
    """The fields in the order in which they are passed; none if a constructor is written out."""
    family = classes.ancestors(analysis, cls)
    own = [one for one in reversed(family) if isinstance(one, Scope)]
    is_record = _NAMED_TUPLE in family or any(_is_dataclass(one) for one in own)
    if not is_record or any("__init__" in one.bound for one in own):
        return
    for one in own:
        assert isinstance(one.node, ast.ClassDef)
        for statement in one.node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                yield statement.target.id


def _is_dataclass(cls: Scope) -> bool:
    assert isinstance(cls.node, ast.ClassDef)
    decorators = cls.node.decorator_list
    made = (part.func if isinstance(part, ast.Call) else part for part in decorators)
    return any(last_name(part) in _DECORATORS for part in made)


def _passed(call: ast.Call, order: tuple[str, ...]) -> dict[str, ast.expr]:
    found: dict[str, ast.expr] = {}
    for name, argument in zip(order, call.args, strict=False):
        if isinstance(argument, ast.Starred):
            break
        found[name] = argument
    found.update({part.arg: part.value for part in call.keywords if part.arg is not None})
    return found
