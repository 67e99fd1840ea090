"""Maps over single elements whose functions could as well take whole batches, as rules see them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.semantics.calls.effects import Effect
from deepperf.semantics.data import mapped, pipelines
from deepperf.semantics.data.batching import Batching
from deepperf.semantics.view.call import Call
from deepperf.semantics.view.expression import Expression

_LONGEST = 12
"""Steps of a pipeline, from the batches back, that are looked at."""
_FEW = 1000
_SLOW = frozenset((Effect.READS_FILE, Effect.CALLS_PYTHON, Effect.UNKNOWN))
"""Beside what reads files the work of other maps is little."""
_USUAL = frozenset((Batching.ALIKE, Batching.PARSES))


class UnbatchedMap(Struct, frozen=True):
    """A map before batches are made, what it runs for each element, and how.

    `is_cached` says that what it gives is kept: it runs in the first pass only. It `is_barred`
    where a step on the way to the batches must see what it gives.
    """

    mapping: Call
    function: Expression
    batching: Batching
    is_cached: bool = False
    is_barred: bool = False


class _Way(Struct, frozen=True):
    """What lies between a map and the batches: `kept` are the entries that a step must see."""

    kept: frozenset[str] = frozenset()
    is_cached: bool = False

    def into(self, place: str) -> _Way | None:
        """The way on into one of several datasets; None if a step must see what that gives."""
        if not place or not self.kept:
            return self
        is_free = place not in self.kept and all(entry.isdigit() for entry in self.kept)
        return replace(self, kept=frozenset()) if is_free else None


def maps_before(batch: Call) -> Iterator[UnbatchedMap]:
    """The maps of a pipeline whose functions could as well come after `batch`.

    Before a map that makes the batches itself, only if that one could come after them, too.
    """
    if batch.applied.has(Trait.MAPS_AND_BATCHES):
        answer = mapped.batching(batch._analysis, batch._site)
        if answer not in _USUAL and answer is not Batching.IDLE:
            return
    way = _Way(is_cached=batch in _kept(batch))
    yield from _maps_before(batch, batch, _LONGEST, way, set())


def _kept(batch: Call) -> frozenset[Call]:
    """The calls of a file whose results a cache keeps that comes after them."""

    def find() -> frozenset[Call]:
        caches = batch.file.calls(frozenset((Trait.CACHES_ELEMENTS,)))
        latest, found = set(caches), set(caches)
        for _ in range(_LONGEST):
            before = {source for call in latest for source, _ in _sources(call)}
            latest = {call for call in before - found if not call.has(Trait.CREATES_DATASET)}
            found |= latest
        return frozenset(found - set(caches))

    return batch._analysis.remember(("kept by caches", batch.file.path), find, frozenset())


def fused_map(call: Call) -> UnbatchedMap | None:
    """The map that a call does of which it batches the results, if it could batch before."""
    function = call.argument(ParameterRole.FUNCTION)
    if function is None:
        return None
    answer = mapped.batching(call._analysis, call._site)
    return UnbatchedMap(call, function, answer) if answer in _USUAL else None


def _maps_before(
    batch: Call, call: Call, depth: int, passed: _Way, seen: set[tuple[Call, int, _Way]]
) -> Iterator[UnbatchedMap]:
    # A pipeline of many branches has more ways through it than anybody can go.
    if depth == 0 or (call, depth, passed) in seen:
        return
    seen.add((call, depth, passed))
    for before, place in _sources(call):
        way = passed.into(place)
        if way is None:
            continue
        found, further = _at_step(batch, before, way)
        if found is not None:
            yield found
        if further is not None:
            yield from _maps_before(batch, before, depth - 1, further, seen)


def _at_step(batch: Call, call: Call, way: _Way) -> tuple[UnbatchedMap | None, _Way | None]:
    """The step of a pipeline, if its function could come after `batch`, and the way past it."""
    step = call.applied
    if step.has(Trait.CHAINS_DATASET) and not step.has(Trait.TRACES_ARGUMENT):
        is_cached = way.is_cached or step.has(Trait.CACHES_ELEMENTS)
        return None, replace(way, is_cached=is_cached)
    if step.has(Trait.PAIRS_DATASETS):
        return None, way
    is_map = step.has(Trait.MAPS_ELEMENTS)
    function = step.argument(ParameterRole.FUNCTION)
    if not (is_map or step.has(Trait.CHAINS_DATASET)) or function is None:
        return None, None
    answer = mapped.batching(call._analysis, call._site) if is_map else Batching.NO
    entries = function.entries if is_map else function.entries_asked
    is_free = not way.kept or (entries is not None and entries.isdisjoint(way.kept))
    if answer in _USUAL and is_free:
        is_short = (call.dataset_size or _FEW + 1) <= _FEW
        if is_short or _is_on_batches(call, batch):
            return None, way
        return UnbatchedMap(step, function, answer, way.is_cached), way
    if answer is Batching.IDLE and not way.kept:
        return None, way
    if entries is not None and not (is_map and function.effects & _SLOW):
        barred = UnbatchedMap(step, function, answer, way.is_cached, is_barred=True)
        further = replace(way, kept=way.kept | entries)
        return (barred if answer in _USUAL else None), further
    return None, None


def follows_python(one: UnbatchedMap) -> bool:
    """Whether Python makes what is mapped: a generator, or a function that a map before calls.

    Beside that a pass or two over an element are little; a parser is worth more than its call.
    """
    for before in steps_before(one):
        step = before.applied
        function = step.argument(ParameterRole.FUNCTION)
        is_generated = step.has(Trait.CREATES_DATASET) and step.has(Trait.CALLS_PYTHON)
        is_mapped = step.has(Trait.MAPS_ELEMENTS) and (
            function is not None and Effect.CALLS_PYTHON in function.effects
        )
        if is_generated or is_mapped:
            return True
    return False


def steps_before(one: UnbatchedMap) -> Iterator[Call]:
    """The steps of pipelines, or what applies them, that make what is mapped, the last first."""
    pending, seen = [one.mapping], {one.mapping}
    while pending and len(seen) <= _LONGEST:
        for before, _ in _sources(pending.pop()):
            yield before
            if before not in seen:
                seen.add(before)
                pending.append(before)


def _is_on_batches(call: Call, batch: Call) -> bool:
    """Whether what is mapped is batches already, and not by `batch`: no pipeline has it twice."""
    key = ("on batches", call, batch)
    return call._analysis.remember(key, lambda: _comes_from_batches(call, batch), otherwise=False)


def _comes_from_batches(call: Call, batch: Call) -> bool:
    pending, seen = [call], {call}
    while pending:
        for before, _ in _sources(pending.pop()):
            step = before.applied
            if before in seen or before == batch:
                continue
            if step.has(Trait.BATCHES) or step.has(Trait.MAPS_AND_BATCHES):
                return True
            if not step.has(Trait.UNBATCHES):
                seen.add(before)
                pending.append(before)
    return False


def _sources(call: Call) -> tuple[tuple[Call, str], ...]:
    """The calls that may have made a dataset that a call transforms, or pairs with others.

    With each stands its place in the elements, as `entries` has it; "" for all of them.
    """
    found = pipelines.sources(call._analysis, call._site)
    return tuple((Call(call._analysis, site), place) for site, place in found)
