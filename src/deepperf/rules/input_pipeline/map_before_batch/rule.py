"""A dataset maps elements one by one, though the function could take whole batches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from deepperf.fixes.batches import lead_subscripts
from deepperf.fixes.chains import move_behind
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Edit, Finding, Fix, Level, Safety, Step
from deepperf.rules.rule import Rule, on_file
from deepperf.semantics.query import Function
from deepperf.semantics.view import Batching, Call, FileView, unbatched
from deepperf.semantics.view.unbatched import UnbatchedMap

rule = Rule(
    module=__name__,
    cause="missed-batch-api",
    symptoms=("slow-execution",),
    stage="data-preparation",
    level=Level.WARNING,
    frameworks=("tensorflow",),
)
MOVE = "apply {function} after `{batch}`, to a whole batch at a time"
PARSE = (
    "apply {function} after `{batch}`, and parse the batch with `tf.io.parse_example`; its "
    "tensors begin with the batch axis, so shapes and axes in the function change accordingly"
)
_ONE, _MANY = "parse_single_example", "parse_example"
SAME = "it works the same on whole batches"
SAME_PARSED = "a whole batch can be parsed at once"


@on_file
def check(file: FileView) -> Iterator[Finding]:
    found: dict[Call, Finding] = {}
    always: set[Call] = set()
    barred: set[Call] = set()
    for batch in file.calls(frozenset((Trait.BATCHES, Trait.APPLIES_TRANSFORMATION))):
        step = batch.applied
        size = step.argument(ParameterRole.BATCH_SIZE)
        # A batch of one is mapped no faster than its element.
        if size is not None and size.literal == 1:
            continue
        if not _makes_batches(step):
            continue
        for one in unbatched.maps_before(batch):
            place = one.mapping if one.mapping.file.path == file.path else batch
            if one.is_barred:
                barred.add(place)
            elif place not in found or not (one.is_cached or place in always):
                found[place] = _finding(place, one, batch)
            if not (one.is_barred or one.is_cached):
                always.add(place)
    for fused in file.calls(frozenset((Trait.MAPS_AND_BATCHES,))):
        own = unbatched.fused_map(fused)
        if own is not None:
            found[fused] = _finding(fused, own, fused)
    for place, finding in found.items():
        # What another way to the batches asks of elements would have to be done twice.
        yield replace(finding, level=Level.NOTE) if place in barred else finding


def _makes_batches(step: Call) -> bool:
    return step.has(Trait.MAPS_AND_BATCHES) or (
        step.has(Trait.BATCHES) and not (step.has(Trait.PADS) or step.has(Trait.UNBATCHES))
    )


def _finding(place: Call, one: UnbatchedMap, batch: Call) -> Finding:
    mapping, name = one.mapping, one.function.callable_name
    is_fused = batch.applied.has(Trait.MAPS_AND_BATCHES)
    called = "batch" if is_fused else batch.applied.last_name
    parses = one.batching is Batching.PARSES
    answer, why = (PARSE, SAME_PARSED) if parses else (MOVE, SAME)
    steps: tuple[Step, ...] = ()
    if batch.function != mapping.function or place is not mapping:
        steps = (
            Step(mapping.location, f"`{mapping.called}` maps single elements"),
            Step(batch.location, f"`{batch.called}` batches the results"),
        )
    # What is kept on its way is mapped in the first pass only.
    is_seldom = one.is_cached or mapping.is_shown
    if not parses:
        is_seldom = is_seldom or unbatched.follows_python(one) or _follows_decoding(one)
    return rule.finding(
        place,
        f"`{mapping.called}` runs {name} once per element, though {why}",
        answer.format(function=name, batch=called),
        steps,
        fix=None if one.is_cached or is_fused else _fix(one, batch),
        level=Level.NOTE if is_seldom else None,
        cause=mapping,
    )


def _fix(one: UnbatchedMap, batch: Call) -> Fix | None:
    mapping = one.mapping
    if mapping.file.path != batch.file.path:
        return None
    edits = move_behind(batch.file.text, mapping.span, batch.span)
    more = _parsing(mapping) if one.batching is Batching.PARSES else ()
    if edits is None or more is None:
        return None
    # Batches of which each is mapped in another order draw other random numbers.
    return Fix("map whole batches", (*edits, *more), Safety.UNSAFE)


def _follows_decoding(one: UnbatchedMap) -> bool:
    """Whether what is mapped was decoded element by element, beside which a call is little."""
    decoders = frozenset((Trait.DECODES, Trait.LOADS_SAMPLE))
    return any(
        call.way_to(*decoders)
        for step in unbatched.steps_before(one)
        if step.has(Trait.MAPS_ELEMENTS)
        for function in _functions(step)
        for call in function.calls()
    )


def _functions(mapping: Call) -> tuple[Function, ...]:
    """The functions that a step of a pipeline maps."""
    maps = mapping.file.queried.calls(Trait.MAPS_ELEMENTS)
    given = (one.in_role(ParameterRole.FUNCTION) for one in maps if one.span == mapping.span)
    function = next(given, None)
    return function.functions if function is not None else ()


def _parsing(mapping: Call) -> tuple[Edit, ...] | None:
    """Edits by which the function that is mapped parses a batch, and nothing else is done."""
    functions = _functions(mapping)
    parsers = [call for one in functions for call in one.calls(Trait.PARSES_EXAMPLE)]
    if len(functions) != 1 or len(parsers) != 1 or functions[0].path != mapping.file.path:
        return None
    callee = parsers[0].callee
    edits = lead_subscripts(mapping.file.text, functions[0].location.line)
    if edits is None or not callee.source.endswith(f".{_ONE}"):
        return None
    end = callee.span[1]
    return (*edits, Edit(end - len(_ONE), end, _MANY))
