"""What the elements of a dataset are, and how the functions mapped over them do on batches."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Fact, ParameterRole, Trait
from deepperf.semantics.calls import callgraph, decorated, parts
from deepperf.semantics.calls.parts import Kind, Part, Structure
from deepperf.semantics.data import batching as functions
from deepperf.semantics.data import pipelines, tables
from deepperf.semantics.data.batching import Answer, Batching
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope, last_name
from deepperf.semantics.sizes import array_shapes
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Instance

_TOLD = {
    Trait.GIVES_NUMBERS: Part(parts.SCALAR),
    Trait.GIVES_ROWS: Part(parts.SCALAR, columns=True),
}
_SHAPED = ("ensure_shape", "reshape")
_UNKNOWN = Answer(Batching.UNKNOWN)


def batching(analysis: Analysis, site: CallSite) -> Batching:
    """How the function that a call maps over a dataset does on a batch of its elements."""
    return _answer(analysis, site).batching


def _answer(analysis: Analysis, site: CallSite) -> Answer:
    mapped = _mapped(analysis, site)
    if mapped is None:
        return _UNKNOWN
    return functions.of_value(analysis, *mapped, _before(analysis, site))


def _mapped(analysis: Analysis, site: CallSite) -> tuple[ast.expr, Scope] | None:
    """The function that a call maps over a dataset, and where it is named."""
    inner = pipelines.applied(analysis, site)
    fact = callgraph.fact_at(analysis, inner)
    function = callgraph.role_argument(inner.node, fact, ParameterRole.FUNCTION) if fact else None
    return None if function is None else (function, inner.scope)


def _before(analysis: Analysis, site: CallSite) -> Kind | None:
    """An element of what a call transforms; None where nothing is known of it."""

    def find() -> Kind | None:
        kinds = {_element(analysis, maker) for maker, _ in pipelines.sources(analysis, site)}
        return kinds.pop() if len(kinds) == 1 else None

    return analysis.remember(("mapped element", site.node), find, None)


def _element(analysis: Analysis, site: CallSite) -> Kind | None:
    """An element of the dataset that a call gives."""
    fact = callgraph.fact_at(analysis, pipelines.applied(analysis, site))
    if fact is None:
        return None
    for trait, kind in _TOLD.items():
        if trait in fact.traits:
            return kind
    if Trait.ONE_PER_ITEM in fact.traits and site.node.args:
        return tables.sliced(analysis, site.node.args[0], site.scope)
    if Trait.PAIRS_DATASETS in fact.traits:
        return _pair(analysis, site)
    if Trait.CHAINS_DATASET in fact.traits:
        return _before(analysis, site)
    if Trait.JOINS_DATASETS in fact.traits:
        return _joined(analysis, site, fact)
    if Trait.MAPS_ELEMENTS not in fact.traits:
        return None
    return _answer(analysis, site).result or _written(analysis, site)


def _written(analysis: Analysis, site: CallSite) -> Kind | None:
    """What a mapped function returns by its text, which tells its entries and little of each."""
    mapped = _mapped(analysis, site)
    held = () if mapped is None else values.evaluate(analysis, *mapped)
    targets = callgraph.targets_of(analysis, held)
    if len(targets) != 1 or decorated.wrappers(analysis, targets[0].function):
        return None
    function = targets[0].function
    results = _results(analysis, function)
    return _of_text(analysis, results[0], function, site) if len(results) == 1 else None


def _of_text(
    analysis: Analysis, node: ast.expr, function: Scope, site: CallSite
) -> Structure | None:
    """The entries of a tuple or dict that is written out."""
    keys: list[str] | None = None
    if isinstance(node, ast.Dict):
        told = [key.value for key in node.keys if isinstance(key, ast.Constant)]
        keys = [key for key in told if isinstance(key, str)]
        if len(keys) < len(node.keys):
            return None
        entries = node.values
    elif isinstance(node, ast.Tuple) and not any(isinstance(e, ast.Starred) for e in node.elts):
        entries = node.elts
    else:
        return None
    held = tuple(
        _of_text(analysis, entry, function, site) or _tensor(analysis, entry, function, site)
        for entry in entries
    )
    return Structure(None if keys is None else tuple(keys), held)


def _tensor(analysis: Analysis, node: ast.expr, function: Scope, site: CallSite) -> Part:
    """An entry; its axes are known where it is given a shape, and of each dataset's own if not."""
    made = values.evaluate(analysis, node, function)
    call = made[0].site if len(made) == 1 and isinstance(made[0], Instance) else None
    if isinstance(call, ast.Call) and last_name(call.func) in _SHAPED:
        shape = array_shapes.array_shape(analysis, node, function)
        if shape is not None:
            return parts.with_axes(Part(parts.SCALAR), len(shape))
    return Part(f"{id(site.node)}.{id(node)}")


def _pair(analysis: Analysis, site: CallSite) -> Kind | None:
    """One element of each dataset."""
    places: dict[str, set[Kind | None]] = {}
    for maker, place in pipelines.sources(analysis, site):
        places.setdefault(place, set()).add(_element(analysis, maker))
    found = []
    for place, kinds in sorted(places.items()):
        known = kinds.pop() if len(kinds) == 1 else None
        found.append(Part(f"{id(site.node)}.{place}") if known is None else known)
    is_whole = [str(place) for place in range(len(found))] == sorted(places) and len(found) > 1
    return Structure(None, tuple(found)) if is_whole else None


def _joined(analysis: Analysis, site: CallSite, fact: Fact) -> Kind | None:
    """An element of the datasets that a function gives for each element."""
    function = callgraph.role_argument(site.node, fact, ParameterRole.FUNCTION)
    held = () if function is None else values.evaluate(analysis, function, site.scope)
    given = callgraph.fact_of(analysis, held)
    if given is not None:
        return next((kind for trait, kind in _TOLD.items() if trait in given.traits), None)
    targets = callgraph.targets_of(analysis, held)
    if len(targets) != 1:
        return None
    kinds = {_element(analysis, maker) for maker in _returned(analysis, targets[0].function)}
    return kinds.pop() if len(kinds) == 1 else None


def _returned(analysis: Analysis, function: Scope) -> list[CallSite]:
    """The calls that made the datasets which a function returns."""
    makers = []
    for result in _results(analysis, function):
        for term in values.evaluate(analysis, result, function):
            if isinstance(term, Instance) and isinstance(term.site, ast.Call) and term.type:
                site = analysis.site_of(term.site, term.scope)
                makers.extend([] if site is None else [site])
    return makers


def _results(analysis: Analysis, function: Scope) -> list[ast.expr]:
    analysis.module_of(function)
    node = function.node
    return [node.body] if isinstance(node, ast.Lambda) else function.returns
