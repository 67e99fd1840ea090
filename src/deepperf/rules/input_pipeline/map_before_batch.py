"""A dataset maps elements one by one, though the function could take whole batches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level, Step
from deepperf.rules.rule import Rule, on_file
from deepperf.semantics.view import Batching, Call, Effect, Expression, FileView

rule = Rule(
    module=__name__,
    cause="missed-batch-api",
    symptoms=("slow-execution",),
    stage="data-preparation",
    level=Level.WARNING,
    frameworks=("tensorflow",),
)
DEEPEST = 12
FEW = 1000
SLOW = frozenset((Effect.READS_FILE, Effect.CALLS_PYTHON, Effect.UNKNOWN))
"""Beside what reads files the work of other maps is little."""
USUAL = frozenset((Batching.ALIKE, Batching.PARSES))
MOVE = "apply {function} after `{batch}`, to a whole batch at a time"
PARSE = (
    "apply {function} after `{batch}`, and parse the batch with `tf.io.parse_example`, whose "
    "tensors have the axis of the batch before their own"
)


@dataclass(frozen=True, slots=True)
class _Way:
    """What lies between a map and the batches: `kept` are the entries that a step must see.

    It `is_barred` where one of them is what the map gives.
    """

    kept: frozenset[str] = frozenset()
    is_cached: bool = False
    is_barred: bool = False

    def into(self, place: str) -> _Way | None:
        """The way on into one of several datasets; None if a step must see what that gives."""
        if not place or not self.kept:
            return self
        is_free = place not in self.kept and all(entry.isdigit() for entry in self.kept)
        return replace(self, kept=frozenset()) if is_free else None


@on_file
def check(file: FileView) -> Iterator[Finding]:
    found: dict[Call, Finding] = {}
    barred: set[Call] = set()
    for batch in file.calls(frozenset((Trait.BATCHES, Trait.APPLIES_TRANSFORMATION))):
        step = batch.applied
        size = step.argument(ParameterRole.BATCH_SIZE)
        # A batch of one is mapped no faster than its element.
        if size is not None and size.literal == 1:
            continue
        if step.has(Trait.BATCHES) and not (step.has(Trait.PADS) or step.has(Trait.UNBATCHES)):
            for mapping, function, way in _mappings(batch, batch, DEEPEST, _Way()):
                place = mapping if mapping.file.path == file.path else batch
                if way.is_barred:
                    barred.add(place)
                else:
                    found.setdefault(place, _finding(place, mapping, function, batch, way))
    for fused in file.calls(frozenset((Trait.MAPS_AND_BATCHES,))):
        given = fused.argument(ParameterRole.FUNCTION)
        if given is not None and given.batching in USUAL:
            found[fused] = _finding(fused, fused, given, fused, _Way())
    for place, one in found.items():
        # What another way to the batches asks of elements would have to be done twice.
        yield replace(one, level=Level.NOTE) if place in barred else one


def _mappings(
    batch: Call, call: Call, depth: int, passed: _Way
) -> Iterator[tuple[Call, Expression, _Way]]:
    """The maps before `call` whose functions could as well come after `batch`."""
    for before, place in call.sources if depth else ():
        step, way = before.applied, passed.into(place)
        if way is None:
            continue
        if step.has(Trait.CHAINS_DATASET) and not step.has(Trait.TRACES_ARGUMENT):
            is_cached = way.is_cached or step.has(Trait.CACHES_ELEMENTS)
            yield from _mappings(batch, before, depth - 1, replace(way, is_cached=is_cached))
            continue
        if step.has(Trait.PAIRS_DATASETS):
            yield from _mappings(batch, before, depth - 1, way)
        if not (step.has(Trait.MAPS_ELEMENTS) or step.has(Trait.CHAINS_DATASET)):
            continue
        function = step.argument(ParameterRole.FUNCTION)
        if function is None:
            continue
        is_map = step.has(Trait.MAPS_ELEMENTS)
        answer = function.batching if is_map else Batching.NO
        entries = function.entries if is_map else function.entries_asked
        is_free = not way.kept or (entries is not None and entries.isdisjoint(way.kept))
        if answer in USUAL and is_free:
            many = (before.dataset_size or FEW + 1) > FEW
            if many and not _is_on_batches(before, batch, DEEPEST):
                yield step, function, way
            yield from _mappings(batch, before, depth - 1, way)
        elif answer is Batching.IDLE and not way.kept:
            yield from _mappings(batch, before, depth - 1, way)
        elif entries is not None and not (is_map and function.effects & SLOW):
            if answer in USUAL:
                yield step, function, replace(way, is_barred=True)
            further = replace(way, kept=way.kept | entries)
            yield from _mappings(batch, before, depth - 1, further)


def _is_on_batches(call: Call, batch: Call, depth: int) -> bool:
    """Whether what is mapped is batches already, and not by `batch`: no pipeline has it twice."""
    earlier = [before for before, _ in call.sources if depth and before != batch]
    for before in earlier:
        step = before.applied
        if step.has(Trait.BATCHES) or step.has(Trait.MAPS_AND_BATCHES):
            return True
        if not step.has(Trait.UNBATCHES) and _is_on_batches(before, batch, depth - 1):
            return True
    return False


def _finding(place: Call, mapping: Call, function: Expression, batch: Call, way: _Way) -> Finding:
    called = "batch" if mapping is batch else batch.applied.last_name
    answer = PARSE if function.batching is Batching.PARSES else MOVE
    steps: tuple[Step, ...] = ()
    if batch.function != mapping.function or place is not mapping:
        steps = (
            Step(mapping.location, f"`{mapping.called}` maps one element at a time"),
            Step(batch.location, f"`{batch.called}` makes batches of the results"),
        )
    # What is kept on its way is mapped in the first pass only.
    is_seldom = way.is_cached or mapping.is_shown
    return rule.finding(
        place,
        f"`{mapping.called}` runs {function.callable_name} once per element, "
        "though it gives the same on whole batches",
        answer.format(function=function.callable_name, batch=called),
        steps,
        level=Level.NOTE if is_seldom else None,
    )
