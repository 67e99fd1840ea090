"""What models are given that declare no input: what they are called with, fitted to, built for."""

from __future__ import annotations

import ast

from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.models import features, layers
from deepperf.semantics.models.features import Feature
from deepperf.semantics.names.scopes import CallSite, Scope, last_name
from deepperf.semantics.sizes import array_shapes, dimensions
from deepperf.semantics.sizes.dimensions import Sizes
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Object

_MOST_USES = 16


def of_stack(analysis: Analysis, stack: ast.Call, scope: Scope) -> Feature | None:
    """What a stack is called with, fitted to or built for, in the same unit."""
    for site in _uses(analysis, stack, scope):
        func = site.node.func
        if isinstance(func, ast.Attribute) and func.attr in ("fit", "build", "predict"):
            model, is_build = func.value, func.attr == "build"
        else:
            model, is_build = func, False
        given = first_argument(site.node)
        made = layers.site_of(analysis, model, site.scope) if given else None
        if given is None or made is None or made[0] is not stack:
            continue
        read = dimensions.numbers if is_build else array_shapes.array_shape
        sizes = read(analysis, given, site.scope)
        if sizes is not None and len(sizes) > 1:
            return features.fresh(_channels_last(analysis, sizes[1:], stack, scope))
    return None


def of_class(analysis: Analysis, cls: Scope) -> Sizes | None:
    """The shape of what objects of the unit, a model of Keras, are fitted to or built for."""
    module = analysis.module_of(cls)
    for name in ("fit", "build"):
        for site in module.calls_named(name)[:_MOST_USES]:
            given, func = first_argument(site.node), site.node.func
            if given is None or not isinstance(func, ast.Attribute):
                continue
            held = values.evaluate(analysis, func.value, site.scope)
            if any(isinstance(term, Object) and term.cls is cls for term in held):
                read = array_shapes.array_shape if name == "fit" else dimensions.numbers
                return read(analysis, given, site.scope)
    return None


def first_argument(call: ast.Call) -> ast.expr | None:
    """The argument that a call gives first, by position or keyword."""
    return call.args[0] if call.args else next((k.value for k in call.keywords), None)


def _uses(analysis: Analysis, stack: ast.Call, scope: Scope) -> list[CallSite]:
    """The calls of the file that, by name, may be of a stack or of its methods."""
    made = analysis.site_of(stack, scope)
    statement = made.statement if made is not None else None
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = [last_name(target) for target in targets]
    module = analysis.module_of(scope)
    return [
        site
        for name in ("fit", "build", "predict", *names)
        if name is not None
        for site in module.calls_named(name)[:_MOST_USES]
    ]


def _channels_last(analysis: Analysis, sizes: Sizes, stack: ast.Call, scope: Scope) -> Sizes:
    names = callgraph.external_names(values.evaluate(analysis, stack.func, scope))
    return (*sizes[1:], sizes[0]) if "torch.nn.Sequential" in names else sizes
