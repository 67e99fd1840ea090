"""How many rows at a time a model is trained, and asked, on."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from msgspec import Struct

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.models import predictions
from deepperf.semantics.names.scopes import CallSite, Scope, last_name
from deepperf.semantics.sizes import array_shapes, rows
from deepperf.semantics.sizes.dimensions import Sizes
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import External, Instance, Object

_ROW = 256
"""Numbers up to which an input is a row of a table rather than an image."""
_FEEDING = ("tensorflow.data.Dataset", "keras.utils.PyDataset", "torch.utils.data.DataLoader")


class Fitted(Struct, frozen=True, eq=False):
    """A call that trains a model with a batch size that the text tells."""

    site: CallSite
    batch_size: int


def by_default(analysis: Analysis, path: str) -> Iterator[CallSite]:
    """The calls that ask a model, or evaluate it, on arrays and leave the batch size to Keras."""
    asking = predictions.predict_calls(analysis, path)
    evaluating = callgraph.sites_with(analysis, path, frozenset((Trait.EVALUATES,)))
    for site in (*asking, *evaluating):
        fact = callgraph.fact_at(analysis, site)
        names = {keyword.arg for keyword in site.node.keywords}
        if None in names or {"batch_size", "steps"} & names:
            continue
        if fact is not None and callgraph.role_argument(site.node, fact, ParameterRole.BATCH_SIZE):
            continue
        given = given_to(analysis, site)
        if given is not None and not is_fed(analysis, given, site.scope):
            yield site


def given_to(analysis: Analysis, site: CallSite) -> ast.expr | None:
    """The input of a call that trains, evaluates or asks a model."""
    fact = callgraph.fact_at(analysis, site)
    if fact is not None:
        return callgraph.role_argument(site.node, fact, ParameterRole.INPUT)
    return site.node.args[0] if site.node.args else None


def is_fed(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether an input comes in batches already: it is a dataset, a loader or a sequence."""
    held = values.evaluate(analysis, node, scope)
    return any(
        isinstance(term, (Instance, Object))
        and not set(_FEEDING).isdisjoint(classes.instance_type(analysis, term))
        for term in held
    )


def shape_given(analysis: Analysis, site: CallSite) -> Sizes | None:
    """The shape of the input, of several side by side that of the first one known."""
    given = given_to(analysis, site)
    if given is None:
        return None
    parts = given.elts if isinstance(given, (ast.List, ast.Tuple)) else [given]
    for part in parts:
        found = array_shapes.array_shape(analysis, part, site.scope)
        if found is not None:
            return found
    return None


def rows_given(analysis: Analysis, site: CallSite) -> int | None:
    """How many rows the input has at most."""
    given = given_to(analysis, site)
    if given is None:
        return None
    found = rows.input_rows(analysis, given, site.scope)
    whole = shape_given(analysis, site) if found is None else None
    return whole[0] if whole else found


def fitted_with(analysis: Analysis, site: CallSite) -> Fitted | None:
    """The smallest batch size with which the model of a call is trained on arrays."""
    model = _model(site)
    if model is None:
        return None
    module = analysis.module_of(site.scope)
    found = []
    for other in module.calls_of(analysis.project.trigger_names(frozenset((Trait.FITS,)))):
        size = _batch_size(analysis, other)
        mine = _model(other)
        if size is None or mine is None:
            continue
        if _is_same(analysis, (model, site.scope), (mine, other.scope)):
            found.append(Fitted(other, size))
    return min(found, key=lambda fitted: fitted.batch_size, default=None)


def _model(site: CallSite) -> ast.expr | None:
    return site.node.func.value if isinstance(site.node.func, ast.Attribute) else None


def _batch_size(analysis: Analysis, site: CallSite) -> int | None:
    given = [k.value for k in site.node.keywords if k.arg == "batch_size"]
    return rows.number(analysis, given[0], site.scope) if given else None


def _is_same(
    analysis: Analysis, first: tuple[ast.expr, Scope], second: tuple[ast.expr, Scope]
) -> bool:
    """Whether two references lead to one model: made in one place, or of one name in one scope."""
    here, there = (_makers(analysis, *place) for place in (first, second))
    if here and there:
        return not here.isdisjoint(there)
    same_text = ast.dump(first[0]) == ast.dump(second[0])
    if isinstance(first[0], ast.Attribute):
        mine, other = (classes.enclosing_class(place[1]) for place in (first, second))
        return same_text and mine is other
    return same_text and first[1] is second[1]


def _makers(analysis: Analysis, node: ast.expr, scope: Scope) -> set[int]:
    return {
        id(term.site)
        for term in values.evaluate(analysis, node, scope)
        if isinstance(term, (Instance, Object)) and term.site is not None
    }


def sees_images(analysis: Analysis, path: str) -> bool:
    """Whether a file names layers or models that work on images: their activations are large.

    Not where all inputs that are written out are rows of a few numbers.
    """
    sites = analysis.module(path).scopes.call_sites.values()
    given = [shape for site in sites for shape in _shapes_written_out(site)]
    if given and all(math.prod(shape) <= _ROW for shape in given):
        return False
    return any(
        isinstance(term, External) and _is_large(term.name)
        for site in sites
        for term in values.evaluate(analysis, site.node.func, site.scope)
    )


def _shapes_written_out(site: CallSite) -> Iterator[tuple[int, ...]]:
    """The shapes of one input that a call is given as a tuple of numbers."""
    for keyword in site.node.keywords:
        is_shape = keyword.arg == "input_shape" or (
            keyword.arg == "shape" and last_name(site.node.func) == "Input"
        )
        if is_shape and isinstance(keyword.value, (ast.Tuple, ast.List)):
            numbers = [getattr(part, "value", None) for part in keyword.value.elts]
            known = tuple(number for number in numbers if isinstance(number, int))
            yield known if len(known) == len(numbers) else (_ROW + 1,)


def _is_large(name: str) -> bool:
    home, _, last = name.rpartition(".")
    return last.startswith(("Conv", "SeparableConv", "UpSampling", "MaxPooling")) or home.endswith(
        "keras.applications"
    )
