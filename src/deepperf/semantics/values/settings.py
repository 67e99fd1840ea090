"""What a setting of the command line holds where nobody says otherwise."""

from __future__ import annotations

import ast

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import fields, values
from deepperf.semantics.values.terms import Instance, Object

_PARSED = "argparse.Namespace"
_FLAGS = "FLAGS"
_FLAG_OF_NUMBER = "DEFINE_integer"


def default_number(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    """The number that the text gives for an option of `argparse`, or a flag, that is read.

    A field of a settings object holds its class's number, whoever may ask for another one.
    """
    if not isinstance(node, ast.Attribute):
        return None
    if last_name(node.value) == _FLAGS:
        for site in analysis.module_of(scope).calls_named(_FLAG_OF_NUMBER):
            name = tree.argument(site.node, 0, "name")
            if isinstance(name, ast.Constant) and name.value == node.attr:
                return _number(tree.argument(site.node, 1, "default"))
        return None
    held = values.evaluate(analysis, node.value, scope)
    owners = {term.cls for term in held if isinstance(term, Object)}
    if len(owners) == 1:
        return _number(fields.default(owners.pop(), node.attr))
    parsed = [term for term in held if isinstance(term, Instance) and term.type == _PARSED]
    if len(parsed) != 1:
        return None
    for site in analysis.module_of(parsed[0].scope).calls_named("add_argument"):
        if node.attr in _names(site):
            return _number(tree.argument(site.node, len(site.node.args), "default"))
    return None


def _names(site: CallSite) -> list[str]:
    """The attributes under which an option may be read."""
    dest = tree.argument(site.node, len(site.node.args), "dest")
    given = [dest] if dest is not None else site.node.args
    texts = [str(one.value) for one in given if isinstance(one, ast.Constant)]
    long = [text for text in texts if not text.startswith("-") or text.startswith("--")]
    return [text.lstrip("-").replace("-", "_") for text in long or texts]


def _number(node: ast.expr | None) -> int | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
