"""Layers and parsers that prepare elements of a dataset: what they take, and what they give."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.semantics.calls import callgraph, constants, parts
from deepperf.semantics.calls.parts import Part
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.values import elements, values
from deepperf.semantics.values.terms import Display, Instance, Literal, Term, Value

_LISTS_OF_LAYERS = ("keras.Sequential",)


def is_elementwise_layer(analysis: Analysis, held: Value) -> bool:
    """Whether what is called is a layer that does the same to each element of a batch."""
    # Before it is made an attribute holds None, which cannot be called.
    called = [t for t in held if not (isinstance(t, Literal) and t.value is None)]
    return bool(called) and all(_is_elementwise_layer(analysis, term) for term in called)


def _is_elementwise_layer(analysis: Analysis, term: Term) -> bool:
    """Of one layer, or of a model that is a list of them."""
    if not isinstance(term, Instance):
        return False
    known = analysis.knowledge.type(term.type)
    if known is not None and Trait.ELEMENTWISE in known.call_traits:
        return True
    site = term.site
    if term.type not in _LISTS_OF_LAYERS or not isinstance(site, ast.Call) or not site.args:
        return False
    listed = values.evaluate(analysis, site.args[0], term.scope)
    inner = listed[0] if len(listed) == 1 else None
    if not isinstance(inner, Display) or not isinstance(inner.node, (ast.List, ast.Tuple)):
        return False
    layers = [values.evaluate(analysis, layer, inner.scope) for layer in inner.node.elts]
    return bool(layers) and all(is_elementwise_layer(analysis, layer) for layer in layers)


def parsed(analysis: Analysis, call: ast.Call, scope: Scope) -> Part:
    """What a call parses: of a serialized example, the tensors under their names."""
    shapes: set[int | None] = set()
    for spec in call.args[1:2] or [k.value for k in call.keywords if k.arg == "features"]:
        for term in constants.known(analysis, spec, scope):
            held = elements.any_entry(analysis, term)
            shapes.update(_rank_told(analysis, field) for field in held)
    found = shapes.pop() if len(shapes) == 1 else None
    if found is None:
        return Part(f"{parts.PARSED}{id(call)}")
    return Part(parts.with_axes(Part(f"{parts.PARSED}{parts.SCALAR}"), found).axes, columns=True)


def _rank_told(analysis: Analysis, field: Term) -> int | None:
    """How many axes an entry of an example has whose shape is written out."""
    site = field.site if isinstance(field, Instance) else None
    if not isinstance(site, ast.Call) or not isinstance(field, Instance):
        return None
    fact = callgraph.fact_of_call(analysis, site, field.scope)
    shape = callgraph.role_argument(site, fact, ParameterRole.SHAPE) if fact else None
    if not isinstance(shape, (ast.List, ast.Tuple)):
        return 1 if isinstance(shape, ast.Constant) and type(shape.value) is int else None
    return None if any(isinstance(part, ast.Starred) for part in shape.elts) else len(shape.elts)
