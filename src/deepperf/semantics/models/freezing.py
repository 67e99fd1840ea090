"""What says of the parameters of a model that nothing trains them, by the text."""

from __future__ import annotations

import ast

from deepperf.semantics.loops.regions import last_name
from deepperf.semantics.names.scopes import CallSite, Frame
from deepperf.semantics.text import tree

LISTINGS = frozenset(("parameters", "named_parameters"))
_FREEZING = ("requires_grad", "trainable")
_LOOKING = (*_FREEZING, "numel", ".device", ".dtype")


def only_freezes(site: CallSite) -> bool:
    """Whether what lists a model's parameters does so to freeze or count them."""
    if last_name(site) not in LISTINGS:
        return False
    loop = next((f for f in reversed(site.frames) if f.is_loop), None) or looped_over(site)
    if loop is None:
        # To look at one tells where, or of which type, all are.
        return isinstance(site.statement, ast.Assign) and "next(" in ast.unparse(site.statement)
    text = ast.unparse(loop.node)
    return any(word in text for word in _LOOKING) or _computes_of_each(loop.node)


def _computes_of_each(node: ast.AST) -> bool:
    """Whether a comprehension computes something of each element, and hands on none as it is."""
    if not isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
        return False
    names = tree.names_in(*(one.target for one in node.generators))
    used = [part for part in tree.walk(node.elt) if isinstance(part, ast.Name) and part.id in names]
    read = [
        part.func
        for part in tree.walk(node.elt)
        if isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and isinstance(part.func.value, ast.Name)
        and not part.func.attr.endswith("_")
    ]
    return bool(used) and {id(one.value) for one in read} >= {id(one) for one in used}


def looped_over(site: CallSite) -> Frame | None:
    """The loop, or comprehension, that goes over what a call gives."""
    for loop in site.scope.loops:
        iterables = [
            part
            for part in tree.children(loop.node)
            if isinstance(part, (ast.expr, ast.comprehension)) and part is not loop.node
        ]
        if any(part is site.node for one in iterables for part in tree.walk(one)):
            return loop
    return None


def is_off(given: list[ast.expr]) -> bool:
    """Whether a method is given nothing but False."""
    return len(given) == 1 and is_false(given[0])


def is_false(node: ast.expr | None) -> bool:
    """Whether False is written out."""
    return isinstance(node, ast.Constant) and node.value is False
