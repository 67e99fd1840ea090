"""What the text alone tells to differ from turn to turn; asked before anything that costs.

Of a function, each call of which is a turn of a loop elsewhere, the parameters are told for which
its callers give something else each time.
"""

from __future__ import annotations

import ast

from deepperf.semantics.invariance import renewed
from deepperf.semantics.invariance.steady import is_of_kind
from deepperf.semantics.loops.regions import Region
from deepperf.semantics.names import scopes
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes

NOTHING: frozenset[str] = frozenset()
_OPAQUE = (ast.Lambda, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


def may_be_steady(node: ast.expr, region: Region, varying: frozenset[str] = NOTHING) -> bool:
    """Whether the text leaves it possible that an expression is the same in each turn.

    The parameters `varying` are not, but for where what they hold lies.
    """
    key = (node, varying)
    known = region.may_be_steady.get(key)
    if known is None:
        known = region.may_be_steady[key] = _may_be_steady(node, region, varying)
    return known


def _may_be_steady(node: ast.expr, region: Region, varying: frozenset[str]) -> bool:
    pending: list[ast.AST] = [node]
    bound = region.bound
    followed: set[str] = set()
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Name):
            name = part.id
            if name in bound:
                if name in followed:
                    continue
                value = bound[name] or renewed.given_before(part, region)
                if value is None:
                    return False
                if name in varying and (value is part or _goes_on(name, region)):
                    return False
                followed.add(name)
                pending.append(value)
            elif name in varying:
                return False
        elif is_of_kind(part):
            continue
        elif isinstance(part, _OPAQUE):
            return False
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
            # Which function a call runs is asked by itself.
            pending += tree.arguments(part) if part.func.id in varying else tree.children(part)
        elif type(part) is not ast.Constant:
            pending.extend(tree.children(part))
    return True


def _goes_on(name: str, region: Region) -> bool:
    """Whether a function gives a parameter no value but such as are made of the one before."""
    once = region.bound[name]
    given = region.rebound.get(name, ()) if once is None else (once,)
    return all(_reads(value, name) for value in given)


def _reads(node: ast.expr, name: str) -> bool:
    """Whether an expression reads a name, and not only where that lies."""
    pending: list[ast.AST] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Name):
            if part.id == name:
                return True
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
            pending += tree.arguments(part)
        elif not is_of_kind(part):
            pending += tree.children(part)
    return False


def given_to(function: Scope) -> frozenset[str]:
    """All that a function is given at a call, the object apart whose method it is."""
    node = function.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return NOTHING
    own = classes.receiver_name(function)
    return frozenset(one.arg for one in scopes.parameters(node) if one.arg != own)
