"""A tf.data pipeline as it stands when it is iterated: what is serial, single or not prefetched."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, share_of_seconds, told_at
from deepperf.dynamic.frameworks.pipeline_model import FitPipelines, kind_of
from deepperf.dynamic.frameworks.pipeline_stages import (
    SLEEPY,
    faults,
    place_of,
    remember_places,
    stages_of,
)
from deepperf.dynamic.frameworks.pipeline_waits import BUSY, waits_in
from deepperf.dynamic.frameworks.session_waits import SessionWaits
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "data-pipeline"
RULES = ("map-before-batch", "missing-prefetch", "serial-map")
WAITS = "_deepperf_waits"
PYTHON = "python functions"


@dataclass(frozen=True, slots=True)
class _Case:
    rule: str
    cause: str
    message: str
    remedy: str


CASES = {
    "serial": _Case(
        "serial-map",
        "inefficient-api-usage",
        "`map` processes one element at a time",
        "map with `num_parallel_calls=tf.data.AUTOTUNE`",
    ),
    "order": _Case(
        "map-before-batch",
        "missed-batch-api",
        "`map` calls a function on single elements that could process whole batches",
        "call `batch` first, and `map` a function that takes whole batches",
    ),
    "prefetch": _Case(
        "missing-prefetch",
        "inefficient-data-transmission",
        "the pipeline has no `prefetch()`: training waits for each batch",
        "end the pipeline with `.prefetch(tf.data.AUTOTUNE)`",
    ),
}


def watch(tape: Tape) -> None:
    """Learn where each stage is made, and look at a pipeline when it is iterated."""
    data = "tensorflow.python.data.ops"
    tape.imports.after(f"{data}.dataset_ops", lambda module: _watch_making(tape, module))
    tape.imports.after(f"{data}.iterator_ops", lambda module: _watch_iterating(tape, module))
    tape.imports.after("tensorflow.python.ops.script_ops", lambda m: _watch_functions(tape, m))


def _watch_making(tape: Tape, module: ModuleType) -> None:
    remember_places(tape, NAME, module)
    places: dict[str, list[tuple[str, Place]]] = {}

    def waited(iterator: str, seconds: float) -> None:
        for kind, place in places.get(iterator, ()):
            tape.note(kind, place, count=0, seconds=seconds)

    waits = SessionWaits(tape, NAME, waited)
    for name in ("_make_one_shot_iterator", "_make_initializable_iterator"):
        _watch_graph_iterators(tape, module.DatasetV1, name, waits, places)


def _watch_graph_iterators(
    tape: Tape,
    cls: Any,
    name: str,
    waits: SessionWaits,
    places: dict[str, list[tuple[str, Place]]],
) -> None:
    make = getattr(cls, name)

    def note(dataset: Any, iterator: Any) -> None:
        operation = iterator._iterator_resource.op
        places[operation.name] = _look(tape, list(stages_of(dataset)))
        waits.look_at(operation.graph)

    @standing_for(make)
    def watched(self: Any, *arguments: Any, **named: Any) -> Any:
        iterator = make(self, *arguments, **named)
        if tape.active:
            tape.guarded(NAME, lambda: note(self, iterator))
        return iterator

    setattr(cls, name, watched)


def _watch_iterating(tape: Tape, module: ModuleType) -> None:
    cls: Any = module.OwnedIterator
    create, following = cls._create_iterator, cls.__next__
    trained = FitPipelines(tape, NAME)

    def begin(iterator: Any, dataset: Any) -> None:
        stages = list(stages_of(dataset))
        chain = [(kind_of(type(one).__name__), place_of(one)) for one in stages]
        found = _look(tape, stages)
        object.__setattr__(iterator, WAITS, found)
        trained.begin(iterator, chain, found)

    @standing_for(create)
    def created(self: Any, dataset: Any) -> Any:
        if tape.active:
            tape.guarded(NAME, lambda: begin(self, dataset))
        return create(self, dataset)

    @standing_for(following)
    def timed(self: Any) -> Any:
        begin = time.perf_counter()
        try:
            return following(self)
        finally:
            seconds = time.perf_counter() - begin
            for kind, place in getattr(self, WAITS, ()):
                tape.note(kind, place, seconds=seconds)

    cls._create_iterator = created
    cls.__next__ = timed


def _watch_functions(tape: Tape, module: ModuleType) -> None:
    cls: Any = module.FuncRegistry
    call = cls.__call__
    nowhere = Place("", 0, "")

    @standing_for(call)
    def timed(self: Any, *arguments: Any, **named: Any) -> Any:
        begin = time.perf_counter()
        try:
            return call(self, *arguments, **named)
        finally:
            tape.note(f"{NAME} {PYTHON}", nowhere, seconds=time.perf_counter() - begin)

    cls.__call__ = timed


def _look(tape: Tape, stages: list[Any]) -> list[tuple[str, Place]]:
    """Note what is wrong with a pipeline; the kinds and places of it."""
    found = []
    for what, stage, kinds in faults(stages):
        place = place_of(stage)
        if place is not None:
            kind = f"{NAME} {what}"
            tape.note(kind, place, detail={"kinds": kinds})
            found.append((kind, place))
    return found


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The stages at which pipelines lose."""
    in_python = sum(o.seconds for o in trace.observations if o.kind == f"{NAME} {PYTHON}")
    waits = {wait.made[:2]: wait for wait in waits_in(trace) if wait.made is not None}
    for seen in trace.observations:
        signal, _, what = seen.kind.partition(" ")
        if signal == NAME and what in CASES:
            wait = waits.get((seen.file, seen.line))
            inside = 0.0 if wait is None else wait.share * trace.work_seconds
            yield _diagnosis(trace, seen, what, in_python, inside)


def _waited_for(seen: Observation) -> float:
    """The seconds that a stage computed while the steps of a training waited for it; 0.0 where it
    did so ahead of them, unless it was hardly ever done in time."""
    told = seen.detail
    covered = told.get("covered", 0.0)
    if not covered or (told["ahead"] and told["serial"] < BUSY * covered):
        return 0.0
    return float(told["busy"])


def _unseen(seen: Observation) -> str:
    if seen.detail.get("covered"):
        return f"its stage took {seen.detail['busy']:.2f} s, ahead of the steps"
    return "its cost cannot be seen from Python"


def _diagnosis(
    trace: Trace, seen: Observation, what: str, in_python: float, inside: float
) -> Diagnosis:
    case = CASES[what]
    kinds = seen.detail.get("kinds", [])
    busy = _waited_for(seen)
    calls_python = any(kind in SLEEPY for kind in kinds)
    if seen.seconds:
        seconds, said = seen.seconds, f"the program waited {seen.seconds:.2f} s for elements"
    elif inside:
        seconds, said = inside, f"about {inside:.2f} s of waiting for this stage, in short samples"
    elif busy:
        seconds, said = busy, f"its stage took {busy:.2f} s, for which the steps wait"
    elif calls_python and what == "serial":
        seconds, said = in_python, f"its Python functions took {in_python:.2f} s"
    else:
        seconds, said = 0.0, _unseen(seen)
    if kinds:
        said += f"; its function runs {', '.join(kinds)}"
    return told_at(
        seen,
        signal=NAME,
        cause=case.cause,
        message=case.message,
        evidence=said,
        remedy=case.remedy,
        weight=Weight.TIME if seconds else Weight.HINT,
        share=share_of_seconds(trace, seconds),
        rule=case.rule,
    )
