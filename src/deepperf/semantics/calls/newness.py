"""Whether what a name is given is new: made there and then, so that nobody else has it."""

from __future__ import annotations

import ast

from deepperf.knowledge import members
from deepperf.knowledge.schema import Fact, Trait
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files import outline
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import Scope, last_name
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import ARRAY_TYPES, Instance, Literal

_NEW = frozenset((Trait.COMPUTES, Trait.CREATES_ARRAY, Trait.JOINS, Trait.ARRANGES))


def is_new(analysis: Analysis, definition: Definition) -> bool:
    """Whether a name is given an array, or a number, that nobody else has."""
    if definition.unpacking or definition.value is None:
        return False
    if definition.binding is Binding.AUGMENTED:
        # What a loop adds to reaches itself.
        return analysis.remember(
            ("is new", definition), lambda: _adds_to_new(analysis, definition), otherwise=False
        )
    if definition.binding is not Binding.ASSIGNED:
        return False
    return makes_new(analysis, definition.value, definition.scope)


def _adds_to_new(analysis: Analysis, definition: Definition) -> bool:
    flow = analysis.module_of(definition.scope).flow(definition.scope)
    return any(is_new(analysis, one) for one in flow.uses.get(id(definition.node), ()))


def makes_new(analysis: Analysis, value: ast.expr, scope: Scope) -> bool:
    """Whether an expression makes an array, or a number, that nobody else has."""
    if isinstance(value, (ast.BinOp, ast.UnaryOp, ast.Compare)):
        return True
    if isinstance(value, (ast.List, ast.Dict)):
        return True
    if isinstance(value, ast.IfExp):
        return all(makes_new(analysis, one, scope) for one in (value.body, value.orelse))
    if not isinstance(value, ast.Call):
        held = values.evaluate(analysis, value, scope)
        return bool(held) and all(
            isinstance(term, Literal) or getattr(term, "type", "") == "tensorflow.Tensor"
            for term in held
        )
    name = last_name(value.func)
    if name == "astype" and not any(one.arg == "copy" for one in value.keywords):
        return True
    if name in members.MAY_SHARE:
        return False
    facts = _facts(analysis, value, scope)
    return bool(facts) and all(
        not _NEW.isdisjoint(fact.traits)
        and fact.traits.isdisjoint((Trait.VIEWS, Trait.CASTS))
        and not fact.returns.startswith("$")
        for fact in facts
    )


def _facts(analysis: Analysis, call: ast.Call, scope: Scope) -> list[Fact]:
    """What is known of a call, if need be by its name alone: arrays have methods so named."""
    fact = callgraph.fact_of_call(analysis, call, scope)
    if fact is not None:
        return [fact]
    held = values.evaluate(analysis, call.func, scope)
    if callgraph.targets_of(analysis, held) or any(isinstance(t, Instance) for t in held):
        return []
    if not isinstance(call.func, ast.Attribute) or outline.is_defined(
        analysis, scope.module_path, call.func.attr
    ):
        return []
    known = analysis.knowledge
    methods = (known.method(array, call.func.attr) for array in ARRAY_TYPES)
    return [fact for method in methods if method and (fact := known.fact(method)) is not None]
