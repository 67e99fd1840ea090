"""By which name a function has what it reads of a file."""

from __future__ import annotations

import ast

from deepperf.semantics.names.scopes import CallSite
from deepperf.semantics.text import tree

_READING = "read"


def name_of(site: CallSite) -> str | None:
    """The name of what is read by a call that opens or reads a file; None where it has none.

    That is `data` of `data = open(path).read()`, and of `with open(path) as f: data = f.read()`;
    where what is read has no name, it is that of the file.
    """
    statement = site.statement
    if isinstance(statement, ast.Assign):
        return _name_bound(statement)
    if not isinstance(statement, ast.With):
        return None
    opened = {
        item.optional_vars.id
        for item in statement.items
        if item.context_expr is site.node and isinstance(item.optional_vars, ast.Name)
    }
    names = {
        _name_bound(part)
        for part in tree.walk(statement)
        if isinstance(part, ast.Assign)
        and isinstance(part.value, ast.Call)
        and isinstance(part.value.func, ast.Attribute)
        and part.value.func.attr == _READING
        and getattr(part.value.func.value, "id", None) in opened
    }
    found = names or opened
    return found.pop() if len(found) == 1 else None


def of_read(node: ast.expr) -> ast.expr:
    """The file of `file.read()`; else what it is given."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.value if node.func.attr == _READING else node
    return node


def _name_bound(statement: ast.Assign) -> str | None:
    target = statement.targets[0] if len(statement.targets) == 1 else None
    return target.id if isinstance(target, ast.Name) else None
