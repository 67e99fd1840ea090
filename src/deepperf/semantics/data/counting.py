"""Loops that go through a dataset only to count its elements."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator

from msgspec import Struct

from deepperf.knowledge.schema import ParameterRole, Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.data import counting_loops, pipelines, workload
from deepperf.semantics.data.workload import Workload
from deepperf.semantics.execution import eagerness
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import regions
from deepperf.semantics.models import learning
from deepperf.semantics.names.scopes import CallSite, Frame, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import NONE, Argument, Instance, Object, Term, Unknown

_MAKING = frozenset((Trait.CREATES_ARRAY, Trait.COMPUTES, Trait.DECODES, Trait.LOADS_SAMPLE))
_COUNTED = "tensorflow.data.Dataset"
_LOADER = "torch.utils.data.DataLoader"
_WITHOUT_LENGTH = "torch.utils.data.IterableDataset"
_FEW = 1000
"""Elements that are gone through in less time than anybody notices."""


class Telling(enum.Enum):
    """How the number of elements is found without making them."""

    LENGTH = "length"  # `len` tells
    DATASET = "dataset"  # a tf.data pipeline, cut short before the work on its elements
    STREAM = "stream"  # an iterable of torch: what its files hold, without the work on it


class Count(Struct, frozen=True, eq=False):
    """A loop, or a call around one, that counts; `counted` is what it goes over, None for a
    session that is run until nothing is left.

    `telling` says what would tell the number.
    """

    node: ast.stmt | ast.expr
    scope: Scope
    loop: Frame
    counted: ast.expr | None
    telling: Telling


def counts(analysis: Analysis, path: str) -> Iterator[Count]:
    """The loops of a file whose iterations do nothing but count, on data that are read or
    parsed.
    """
    for scope in analysis.module(path).all_scopes:
        for loop in scope.loops:
            found = _count(analysis, loop)
            if found is not None and not eagerness.is_traced_once(analysis, scope):
                yield found


def counted_by(analysis: Analysis, node: ast.expr, scope: Scope) -> tuple[ast.expr, Scope] | None:
    """What a number was counted on, element by element: files, records or a dataset, by name."""
    if isinstance(node, ast.Call):
        targets = callgraph.targets_of(analysis, values.evaluate(analysis, node.func, scope))
        if len(targets) == 1 and len(targets[0].function.returns) == 1:
            function = targets[0].function
            inner = counted_by(analysis, function.returns[0], function)
            if inner is None or not isinstance(inner[0], ast.Name):
                return None
            given = callgraph.bound_arguments(node, targets[0]).get(inner[0].id)
            return None if given is None else (given, scope)
    for loop in scope.loops:
        around = loop.node
        is_near = isinstance(node, ast.Name) and isinstance(around, ast.For)
        if is_near and not any(counting_loops.counter(part) == node.id for part in around.body):  # type: ignore[attr-defined]
            continue
        found = _count(analysis, loop) if is_near or isinstance(node, ast.Call) else None
        if found is not None and found.counted is not None and (is_near or found.node is node):
            return _first_named(found.counted), scope
    return None


def _first_named(node: ast.expr) -> ast.expr:
    """What a dataset is made of: `files` of `TFRecordDataset(files)`."""
    while isinstance(node, ast.Call) and node.args:
        node = node.args[0]
    return node


def _count(analysis: Analysis, loop: Frame) -> Count | None:
    node, scope = loop.node, loop.scope
    if isinstance(node, ast.For):
        if not counting_loops.only_counts(node, scope):
            return None
        if learning.learns(analysis, regions.region_of_loop(analysis, loop)):
            return None
        if not _is_asked_for(analysis, node, scope):
            return None
        return _over_dataset(analysis, node, node.iter, loop)
    if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
        around = counting_loops.call_around(node, scope)
        if around is not None:
            return _over_dataset(analysis, around, node.generators[0].iter, loop)
    return None


def _is_asked_for(analysis: Analysis, node: ast.For | ast.While, scope: Scope) -> bool:
    """Whether the number is used or shown: else turns warm something up, or are measured."""
    names = counting_loops.counters(node)
    if counting_loops.shows(node, names) or not names.isdisjoint(scope.outer_names):
        return True
    if isinstance(node, ast.While):  # left by an error
        return True
    inside = {id(part) for part in tree.walk(node)}
    uses = analysis.module_of(scope).flow(scope).uses
    return any(
        definition.name in names and id(definition.node) in inside
        for place, definitions in uses.items()
        if place not in inside
        for definition in definitions
    ) or any(
        isinstance(part, ast.Name) and part.id in names and part.id not in function.bound
        for function in scope.children
        for part in tree.walk(function.node)
    )


def _over_dataset(
    analysis: Analysis, node: ast.stmt | ast.expr, iterable: ast.expr, loop: Frame
) -> Count | None:
    counted = iterable
    if isinstance(iterable, ast.Call) and iterable.args:
        names = callgraph.external_names(values.evaluate(analysis, iterable.func, loop.scope))
        if names == ("builtins.enumerate",):
            counted = iterable.args[0]
    held = values.evaluate(analysis, counted, loop.scope)
    known = [term for term in held if not isinstance(term, (Argument, Unknown)) and term != NONE]
    if known and all(_is_worked_stream(analysis, term) for term in known):
        return Count(node, loop.scope, loop, counted, Telling.STREAM)
    if not known or not all(isinstance(term, Instance) for term in known):
        return None
    instances = [term for term in known if isinstance(term, Instance)]
    if all(analysis.knowledge.is_subtype(term.type, _COUNTED) for term in instances):
        if any(_is_small_or_batched(analysis, term) for term in instances):
            return None
        return Count(node, loop.scope, loop, counted, Telling.DATASET)
    if all(_has_length(analysis, term) for term in instances):
        return Count(node, loop.scope, loop, counted, Telling.LENGTH)
    return None


def _is_small_or_batched(analysis: Analysis, term: Instance) -> bool:
    """Whether going through it takes no time worth sparing: few elements, or whole batches of
    what no file is opened for, one by one.
    """
    site = analysis.site_of(term.site, term.scope)
    is_batched = opens_files = False
    for _ in range(12):
        if site is None:
            break
        fact = callgraph.fact_at(analysis, site)
        if has(fact, Trait.UNBATCHES) and not is_batched:
            return False
        is_batched |= has(fact, Trait.BATCHES, Trait.MAPS_AND_BATCHES)
        opens_files |= _opens_files(analysis, site)
        size = pipelines.size(analysis, site)
        if size is not None and size <= _FEW:
            return True
        before = pipelines.inputs(analysis, site)
        site = before[0] if before else None
    return is_batched and not opens_files


def _opens_files(analysis: Analysis, site: CallSite) -> bool:
    """Whether a transformation opens or decodes a file for each element."""
    fact = callgraph.fact_at(analysis, site)
    if fact is None or not has(fact, Trait.MAPS_ELEMENTS, Trait.MAPS_AND_BATCHES):
        return False
    function = callgraph.role_argument(site.node, fact, ParameterRole.FUNCTION)
    return (
        function is not None and workload.of_value(analysis, function, site.scope) is Workload.FILES
    )


def _has_length(analysis: Analysis, term: Instance) -> bool:
    """Whether it loads a dataset that is known to have a length."""
    if term.type != _LOADER or not isinstance(term.site, ast.Call) or not term.site.args:
        return False
    held = values.evaluate(analysis, term.site.args[0], term.scope)
    types = {
        name
        for part in held
        if not isinstance(part, (Argument, Unknown))
        for name in _types(analysis, part)
    }
    return "torch.utils.data.Dataset" in types and _WITHOUT_LENGTH not in types


def _is_worked_stream(analysis: Analysis, term: Term) -> bool:
    """Whether it gives the elements of a stream one by one, and makes each of them first."""
    if isinstance(term, Object):
        method = classes.method_of(analysis, term.cls, "__iter__")
        return (
            classes.inherits(analysis, term.cls, _WITHOUT_LENGTH)
            and isinstance(method, Scope)
            and _works(analysis, method)
        )
    if not isinstance(term, Instance) or term.type != _LOADER:
        return False
    loader = term.site
    if not isinstance(loader, ast.Call) or not loader.args or not _gives_one(loader):
        return False
    held = values.evaluate(analysis, loader.args[0], term.scope)
    known = [part for part in held if not isinstance(part, (Argument, Unknown))]
    return bool(known) and all(
        isinstance(part, Object) and _is_worked_stream(analysis, part) for part in known
    )


def _gives_one(loader: ast.Call) -> bool:
    """Whether a loader gives element after element, and no batches."""
    size = loader.args[1] if len(loader.args) > 1 else None
    for keyword in loader.keywords:
        if keyword.arg in (None, "batch_sampler"):
            return False
        if keyword.arg == "batch_size":
            size = keyword.value
    return size is None or (isinstance(size, ast.Constant) and size.value in (1, None))


def _works(analysis: Analysis, function: Scope) -> bool:
    """Whether a generator makes tensors or arrays, of each of its elements."""
    analysis.module_of(function)
    if not function.yields:
        return False
    return any(
        has(callgraph.fact_at(analysis, site), *_MAKING) for site in function.calls if site.loops
    )


def _types(analysis: Analysis, part: object) -> tuple[str, ...]:
    return classes.instance_type(analysis, part) if isinstance(part, (Instance, Object)) else ()
