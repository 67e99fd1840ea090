"""Arrays of all that files hold: read one after the other, joined, and trained on as a whole."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator

from msgspec import Struct

from deepperf.knowledge import members
from deepperf.knowledge.schema import ParameterRole, Trait, has
from deepperf.semantics.calls import callers, callgraph
from deepperf.semantics.data import pipelines
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, last_name
from deepperf.semantics.sizes import rows
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.origins import origins
from deepperf.semantics.values.terms import Display, Instance
from deepperf.semantics.vectorization.collected import Collected, collected, filled

_LOADING = frozenset((Trait.LOADS_SAMPLE, Trait.LOADS_ARRAY))
_SINKS = frozenset((Trait.FITS, Trait.HOLDS_ARRAYS))
_MOST_SINKS = 16
_FURTHEST = 2
_LONGEST_PIPELINE = 24
_SAME_ELEMENTS = frozenset((Trait.CHAINS_DATASET, Trait.MAPS_ELEMENTS, Trait.REPEATS))


class Gathering(Struct, frozen=True, eq=False):
    """`join` makes one array of what `read` gives in the iterations of `loops`; `used` trains on
    it.

    `area` is height times width of the images that it is resized to, where the text tells.
    """

    join: CallSite
    loops: tuple[Frame, ...]
    read: CallSite
    used: CallSite
    area: int | None


def gatherings(analysis: Analysis, path: str) -> Iterator[Gathering]:
    """The arrays that a file makes of the contents of many others, and that are trained on."""
    if not _may_train(analysis, path):
        return
    seen: set[int] = set()
    for found in collected(analysis, path):
        if id(found.join) in seen or not _is_apart(found):
            continue
        read = _read(analysis, found)
        if read is None:
            continue
        used = _used(analysis, found.join)
        if used is not None:
            seen.add(id(found.join))
            yield Gathering(found.join, found.loops, read, used, _area(analysis, found, read))
    yield from _filled(analysis, path)


def _may_train(analysis: Analysis, path: str) -> bool:
    """Whether, by texts alone, training may be near, in the file or in those around it."""
    project = analysis.project
    names = sorted(project.trigger_names(_SINKS))
    # What begins with the word itself is found fastest.
    words = tuple(re.compile(rf"{name}(?<!\w{name})\(") for name in names)
    if path not in project.near(words):
        analysis.asked.update(names)
        return False
    # As long as these do, the file may be near one that trains.
    analysis.touched.update(project.mentioning(words) - {path})
    return True


def _filled(analysis: Analysis, path: str) -> Iterator[Gathering]:
    """Arrays that are made first, and then filled item by item."""
    module = analysis.module(path)
    if analysis.project.trigger_names(_LOADING).isdisjoint(module.called_names):
        return
    seen: set[int] = set()
    for found in filled(analysis, path):
        made = found.join
        if id(made) in seen:
            continue
        read = _read(analysis, found)
        used = _used(analysis, made) if read is not None else None
        if read is not None and used is not None:
            seen.add(id(made))
            yield Gathering(made, found.loops, read, used, _area(analysis, found, read))


def _is_apart(found: Collected) -> bool:
    """Whether it is joined after its loops, and not in a loop that makes one batch an iteration."""
    around = found.join.loops
    return all(frame in found.loops for frame in around) and found.join.scope is found.scope


def _read(analysis: Analysis, found: Collected) -> CallSite | None:
    """The call that reads what each iteration adds, if all that follows keeps it as large."""
    for call, scope in origins(analysis, found.element, found.scope):
        site = analysis.site_of(call, scope)
        if site is None:
            return None
        held = callgraph.callee(analysis, site)
        fact = callgraph.fact_of(analysis, held)
        if has(fact, *_LOADING):
            return site
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if name not in members.SAMPLE_STEPS and not callgraph.targets_of(analysis, held):
            return None
    return None


def _area(analysis: Analysis, found: Collected, read: CallSite) -> int | None:
    """What the last resizing on the way from the file to the array makes of each image."""
    for call, scope in origins(analysis, found.element, found.scope):
        if (last_name(call.func) or "") in members.RESIZINGS:
            for given in tree.arguments(call):
                sides = _sides(analysis, given, scope)
                if sides is not None:
                    return sides[0] * sides[1]
        if call is read.node:
            break
    return None


def _sides(analysis: Analysis, node: ast.expr, scope: Scope) -> tuple[int, int] | None:
    for term in values.evaluate(analysis, node, scope):
        if isinstance(term, Display) and isinstance(term.node, (ast.Tuple, ast.List)):
            known = [rows.number(analysis, part, term.scope) for part in term.node.elts[:2]]
            height, width = known if len(known) == 2 else (None, None)
            if height is not None and width is not None:
                return height, width
    return None


def _used(analysis: Analysis, join: CallSite) -> CallSite | None:
    """The training that is given the array, in its file or in those that call for it."""
    for sink in _sinks(analysis, join.scope):
        data = _data(analysis, sink)
        if data is None:
            continue
        for call, scope in origins(analysis, data, sink.scope):
            if call is join.node:
                return sink
            if _is_batch_of_turn(analysis, call, scope, sink):
                break
    return None


def _is_batch_of_turn(analysis: Analysis, call: ast.Call, scope: Scope, sink: CallSite) -> bool:
    """Whether a function of the project makes, in an iteration of a loop, what the iteration trains
    on.
    """
    if scope is not sink.scope:
        return False
    site = analysis.site_of(call, scope)
    if site is None:
        return False
    shared = [frame for frame in site.frames if frame.is_loop and frame in sink.frames]
    return bool(shared) and bool(callgraph.targets(analysis, site))


def _sinks(analysis: Analysis, scope: Scope) -> list[CallSite]:
    paths = dict.fromkeys([scope.module_path])
    scopes = [scope]
    for _ in range(_FURTHEST):
        callers = [site for one in scopes[:4] if one.parent for site in _callers(analysis, one)]
        scopes = [site.scope for site in callers]
        paths.update(dict.fromkeys(site.scope.module_path for site in callers))
    found = (
        site for path in list(paths)[:6] for site in callgraph.sites_with(analysis, path, _SINKS)
    )
    return list(itertools.islice(found, _MOST_SINKS))


def _callers(analysis: Analysis, scope: Scope) -> tuple[CallSite, ...]:
    return callers.callers(analysis, scope)[:4]


def _data(analysis: Analysis, sink: CallSite) -> ast.expr | None:
    """What a training is given to train on."""
    fact = callgraph.fact_at(analysis, sink)
    if fact is not None:
        found = callgraph.role_argument(sink.node, fact, ParameterRole.INPUT)
        if found is not None:
            return found
    return sink.node.args[0] if sink.node.args else None


def fitted(analysis: Analysis, site: CallSite) -> CallSite | None:
    """The training that is given the elements of the dataset that a call starts, as they are."""
    for sink in _sinks(analysis, site.scope):
        data = _data(analysis, sink)
        if data is not None and _leads_to(analysis, data, sink.scope, site):
            return sink
    return None


def _leads_to(analysis: Analysis, data: ast.expr, scope: Scope, start: CallSite) -> bool:
    waiting = [
        analysis.site_of(term.site, term.scope)
        for term in values.evaluate(analysis, data, scope)
        if isinstance(term, Instance) and isinstance(term.site, ast.Call)
    ]
    for _ in range(_LONGEST_PIPELINE):
        if not waiting:
            break
        made = waiting.pop(0)
        if made is start:
            return True
        fact = callgraph.fact_at(analysis, made) if made is not None else None
        if made is not None and has(fact, *_SAME_ELEMENTS):
            waiting.extend(pipelines.inputs(analysis, made))
    return False
