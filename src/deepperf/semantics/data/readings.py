"""Files that loops read one at a time into an array, for training or by a framework's reader."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

from msgspec import Struct

from deepperf.knowledge.schema import Fact, ParameterRole, Trait
from deepperf.semantics.calls import callgraph, reach
from deepperf.semantics.data import feeding
from deepperf.semantics.execution import eagerness
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.files.outline import may_call
from deepperf.semantics.loops import induction
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, last_name
from deepperf.semantics.vectorization.collected import Collected, collected, filled

_READING = frozenset((Trait.READS_SAMPLE, Trait.LOADS_SAMPLE, Trait.DECODES))
_DEEPEST = 3
_ReadingCall: TypeAlias = tuple[CallSite, tuple[CallSite, ...], Fact]


class Reading(Struct, frozen=True, eq=False):
    """A call that reads a file in each iteration of `loop`, by the calls `way` from there.

    `trainer` is what trains with the array, None where the framework's own reader, which a
    pipeline could run as it is, reads for something else. `shrinks` says whether what is decoded
    at its full size is made smaller then.
    """

    site: CallSite
    way: tuple[CallSite, ...]
    loop: Frame
    join: CallSite
    trainer: Fact | None
    reader: Fact
    shrinks: bool


def readings(analysis: Analysis, path: str) -> Iterator[Reading]:
    """The readings whose loop, or the joining of its results, stands in the file."""
    # What makes no arrays in loops needs no look at the texts of all that it imports.
    if not (collected(analysis, path) or _sets_items(analysis, path)):
        return
    if not _may_read(analysis, path):
        return
    joined = (*collected(analysis, path), *filled(analysis, path))
    seen: set[int] = set()
    for found in joined:
        if found.scope.module_path != path or _is_a_batch(found):
            continue
        calls = _reading_calls(analysis, found)
        site, way, reader = next(calls, (None, (), None))
        if site is None or reader is None or id(site.node) in seen:
            continue
        seen.add(id(site.node))
        trainer = feeding.trainer_of(analysis, found.join.node, found.join.scope)
        if trainer is not None or _is_pipeline_by_hand(analysis, found, reader, calls):
            shrinks = _shrinks(analysis, found, site, way)
            loop = loop_around(found.loops, (*way, site)[0])
            yield Reading(site, way, loop, found.join, trainer, reader, shrinks)


def loop_around(loops: tuple[Frame, ...], site: CallSite) -> Frame:
    """The innermost of loops, outermost first, in whose iterations a call runs."""
    return next((loop for loop in reversed(loops) if loop in site.loops), loops[-1])


def _sets_items(analysis: Analysis, path: str) -> bool:
    """Whether loops of a file set items of something."""
    return any(
        frame.is_loop
        for scope in analysis.module(path).all_scopes
        for _, frames in scope.item_writes
        for frame in frames
    )


def _is_a_batch(found: Collected) -> bool:
    """Whether a generator makes array after array of what its loops read."""
    around = found.join.loops
    return bool(found.join.scope.yields) and any(frame not in found.loops for frame in around)


def _is_pipeline_by_hand(
    analysis: Analysis, found: Collected, reader: Fact, further: Iterator[_ReadingCall]
) -> bool:
    """Whether operations of a framework read and decode all files there are, eagerly.

    What is called for each batch, by a loop or by a loader, reads a batch at a time.
    """
    traits = set(reader.traits)
    for _, _, fact in further:
        traits |= fact.traits
    if not traits.issuperset((Trait.READS_SAMPLE, Trait.DECODES)):
        return False
    scope = found.scope
    return (
        not scope.yields
        and not eagerness.builds_graphs(analysis, scope.module_path)
        and eagerness.runs_in_python(analysis, scope)
        and not reach.function_loop_paths(analysis, scope)
    )


def _may_read(analysis: Analysis, path: str) -> bool:
    """Whether, by texts alone, the file or one that it imports reads images or sounds."""

    def find() -> frozenset[str]:
        words: set[str] = set()
        for name, fact in analysis.knowledge.facts.items():
            if not _READING.isdisjoint(fact.traits):
                module, _, last = name.rpartition(".")
                is_common = last in ("load", "open", "read")
                words.add(module.rpartition(".")[2] if is_common else last)
        return frozenset(words)

    project = analysis.project
    imported = project.imports(path)
    analysis.touched.update(imported)
    names = project.named("readers", find)
    return any(project.has_any(near, names) for near in (path, *sorted(imported)))


def _reading_calls(analysis: Analysis, found: Collected) -> Iterator[_ReadingCall]:
    """The calls that read, in what makes an element, in the order of their lines."""
    turns = induction.turning(found.scope, found.loops)
    sites = _sites(analysis, found.scope, induction.expanded(analysis, found.element, turns))
    names = analysis.project.trigger_names(_READING)
    for site in sites:
        if last_name(site.node.func) not in names and not may_call(analysis, site, names):
            continue
        yield from _reads(analysis, site, (), _DEEPEST)


def _sites(analysis: Analysis, scope: Scope, parts: Iterator[ast.AST]) -> list[CallSite]:
    known = analysis.module_of(scope).scopes.call_sites
    found = [known[id(part)] for part in parts if isinstance(part, ast.Call) and id(part) in known]
    return sorted(found, key=lambda site: (site.node.lineno, -site.node.col_offset))


def _reads(
    analysis: Analysis, site: CallSite, way: tuple[CallSite, ...], depth: int
) -> Iterator[_ReadingCall]:
    fact = callgraph.fact_at(analysis, site)
    if fact is not None:
        if not fact.traits.isdisjoint(_READING):
            yield site, way, fact
        return
    if depth:
        for target in callgraph.targets(analysis, site):
            if not target.function.yields:
                for inner in sorted(target.function.calls, key=lambda s: s.node.lineno):
                    yield from _reads(analysis, inner, (*way, site), depth - 1)


def _shrinks(
    analysis: Analysis, found: Collected, site: CallSite, way: tuple[CallSite, ...]
) -> bool:
    """Whether an image could be decoded at its final size, and is resized afterwards."""
    fact = callgraph.fact_at(analysis, site)
    if fact is None or not any(p.role is ParameterRole.SHAPE for p in fact.parameters):
        return False
    if callgraph.role_argument(site.node, fact, ParameterRole.SHAPE) is not None:
        return False
    if any(keyword.arg is None for keyword in site.node.keywords):
        return False
    if way:
        later = [inner.node for inner in site.scope.calls]
    else:
        turns = induction.turning(found.scope, found.loops)
        parts = induction.expanded(analysis, found.element, turns)
        later = [part for part in parts if isinstance(part, ast.Call)]
    return any(last_name(call.func) in ("resize", "smart_resize", "thumbnail") for call in later)
