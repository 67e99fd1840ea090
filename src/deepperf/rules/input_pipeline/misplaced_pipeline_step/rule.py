"""A step of an input pipeline stands where it costs far more than elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.chains import move_before
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Fix, Level, Safety
from deepperf.rules.input_pipeline.misplaced_pipeline_step.steps import (
    before,
    kept,
    reached,
    used,
)
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call, Function

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("out-of-memory", "slow-execution"),
    stage="data-preparation",
    level=Level.WARNING,
    frameworks=("tensorflow",),
)

_LARGE, _SMALL = 1000, 100
"""Decoded pictures in a buffer: so many are gigabytes, and so few are nothing to speak of."""
_REGROUPS = (Trait.CACHES_ELEMENTS, Trait.BATCHES, Trait.UNBATCHES, Trait.JOINS_DATASETS)
_READS = (Trait.LOADS_SAMPLE, Trait.READS_SAMPLE)
_SHUFFLE = (
    "shuffle before `{}`: the names or encoded records that it is given are small, and their"
    " order is as random"
)
_CACHE = "cache first and repeat what is cached"
_FILTER = "filter before `{}`, by what it hands on unchanged"


@each_call(Trait.SHUFFLES)
def check_buffer(call: Call) -> Iterator[Finding]:
    size = call.in_role(ParameterRole.BUFFER)
    if size is None or (isinstance(size.literal, int) and size.literal < _SMALL):
        return
    mapping = before(call, Trait.MAPS_ELEMENTS, _REGROUPS)
    if mapping is None or reached(mapping, (Trait.LOADS_SAMPLE,)) is None:
        return
    is_large = isinstance(size.literal, int) and size.literal >= _LARGE
    yield _finding(
        call,
        f"`{call.name}` fills its buffer of {size.text} with decoded samples before the first one"
        " is used",
        _SHUFFLE.format(mapping.name),
        mapping,
        Level.WARNING if is_large else Level.NOTE,
        _fix(call, mapping),
    )


@each_call(Trait.CACHES_ELEMENTS)
def check_cache(call: Call) -> Iterator[Finding]:
    repeat = before(call, Trait.REPEATS, (*_REGROUPS, Trait.FILTERS))
    if repeat is None or repeat.passes_unseen:
        return
    times = repeat.in_role(ParameterRole.TIMES)
    if times is not None and times.literal in (0, 1):
        return
    yield _finding(
        call,
        f"`{call.name}` keeps each repetition of `{repeat.name}` by itself, and no epoch is read"
        " from it",
        _CACHE,
        repeat,
        Level.WARNING,
        _fix(call, repeat),
    )


@each_call(Trait.FILTERS)
def check_filter(call: Call) -> Iterator[Finding]:
    mapping = before(call, Trait.MAPS_ELEMENTS, _REGROUPS)
    given = call.in_role(ParameterRole.FUNCTION)
    if mapping is None or given is None or len(given.functions) != 1:
        return
    function = reached(mapping, _READS)
    parts = used(given.functions[0])
    if function is not None and parts and parts <= kept(function):
        yield _finding(
            call,
            f"`{call.name}` drops elements by what `{mapping.name}` does not change, after it has"
            " read them",
            _FILTER.format(mapping.name),
            mapping,
            Level.WARNING,
            # What the filter is given then has as many parts as what the map is given.
            _fix(call, mapping) if _parts(function) == _parts(given.functions[0]) else None,
        )


def _parts(function: Function) -> int:
    return len(function.parameters)


def _finding(
    call: Call, message: str, remedy: str, other: Call, level: Level, fix: Fix | None
) -> Finding:
    return rule.finding(
        call,
        message,
        remedy,
        related=(other.step(f"`{other.name}` stands before it"),),
        framework="tensorflow",
        level=level,
        estimate=0.05 if level is Level.WARNING else 0.005,
        fix=fix,
    )


def _fix(call: Call, other: Call) -> Fix | None:
    """Both steps change places, where nothing else reads what lies between them."""
    if call.path != other.path:
        return None
    edits = move_before(call.file_text, call.span, other.span)
    title = f"`{call.name}` before `{other.name}`"
    return Fix(title, edits, Safety.UNSAFE) if edits is not None else None
