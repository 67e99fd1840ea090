"""Whether an object holds nothing but what it is made of: a loss, a module without weights."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import ClassTerm, External, Term


def is_made(analysis: Analysis, definition: Definition) -> bool:
    """Whether a name is bound to such an object, there where the object is made."""
    call = definition.value
    if definition.binding is not Binding.ASSIGNED or definition.unpacking:
        return False
    if not isinstance(call, ast.Call):
        return False
    held = values.evaluate(analysis, call.func, definition.scope)
    return bool(held) and all(_makes(analysis, term) for term in held)


def made_of(definition: Definition) -> list[ast.expr]:
    """What the call that a name is bound to is given."""
    return tree.arguments(definition.value) if isinstance(definition.value, ast.Call) else []


def _makes(analysis: Analysis, term: Term) -> bool:
    bases: tuple[Scope | str, ...] = ()
    if isinstance(term, External):
        bases = analysis.knowledge.ancestry(term.name)
    elif isinstance(term, ClassTerm):
        bases = classes.ancestors(analysis, term.scope)
    # A constructor of its own may make anything.
    if any(isinstance(base, Scope) and "__init__" in classes.methods_of(base) for base in bases):
        return False
    return any(
        has(analysis.knowledge.fact(base), Trait.STATELESS)
        for base in bases
        if isinstance(base, str)
    )
