"""What each iteration of a loop puts aside, so that all of it is there in the end."""

from __future__ import annotations

import ast

from deepperf.knowledge import members
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Frame
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Object


def is_put_aside(site: CallSite, loop: Frame) -> bool:
    """Whether each iteration puts what a call in it gives into a container, or hands it out."""
    statement = site.statement
    names: set[str] = set()
    if isinstance(statement, ast.Assign) and statement.value is site.node:
        if any(isinstance(target, ast.Subscript) for target in statement.targets):
            return True
        names = {target.id for target in statement.targets if isinstance(target, ast.Name)}
    for part in tree.walk(loop.node):
        for node in _given_away(part):
            inside = node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]
            if any(one is site.node or getattr(one, "id", None) in names for one in inside):
                return True
    return getattr(loop.node, "elt", getattr(loop.node, "value", None)) is site.node


def makes_objects(analysis: Analysis, loop: Frame, way: tuple[CallSite, ...]) -> bool:
    """Whether the first call of a way makes an object of the project that an iteration
    puts aside.
    """
    return bool(way) and (
        any(
            isinstance(term, Object) and term.site is way[0].node
            for term in values.evaluate(analysis, way[0].node, way[0].scope)
        )
        and is_put_aside(way[0], loop)
    )


def _given_away(part: ast.AST) -> list[ast.expr]:
    """What a part of a loop's body adds to a container, or hands out."""
    if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
        return part.args if part.func.attr in members.CONTAINER_ADDITIONS else []
    if isinstance(part, ast.Yield):
        return [part.value] if part.value is not None else []
    if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Subscript):
        return [part.value]
    return []
