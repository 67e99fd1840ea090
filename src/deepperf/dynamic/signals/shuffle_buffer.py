"""The shuffle buffer of a pipeline holds elements as they are once they are decoded."""

from __future__ import annotations

from collections.abc import Iterable
from types import FrameType, ModuleType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, is_much, share_of_memory, told_at
from deepperf.dynamic.frameworks.pipeline_stages import bytes_of_element, place_of, stages_of
from deepperf.dynamic.recording.clock import own_bytes
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "shuffle-buffer"
BY_LOOKS = True
RULES: tuple[str, ...] = ()
SYMPTOMS = ("out-of-memory",)
ITERATORS = "tensorflow.python.data.ops.iterator_ops"
FEWEST = 32
"""Elements of a buffer that holds hardly more than the next batches."""


def watch(tape: Tape) -> None:
    """Look how the memory grows from when a pipeline begins until its first step is done."""
    watched = _Watch(tape)
    tape.imports.after(ITERATORS, watched.begin)


class _Watch:
    """Runs in the sampler's thread, but for taking note of new iterators."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._filling: tuple[Place, int, int] | None = None

    def begin(self, module: ModuleType) -> None:
        cls: Any = module.OwnedIterator
        create = cls._create_iterator

        @standing_for(create)
        def created(iterator: Any, dataset: Any) -> Any:
            if self._tape.active:
                self._tape.guarded(NAME, lambda: self._take(dataset))
            return create(iterator, dataset)

        cls._create_iterator = created
        self._tape.now_and_then(NAME, self._look)

    def _take(self, dataset: Any) -> None:
        self._filling = None
        stages = list(stages_of(dataset))
        for number, stage in enumerate(stages):
            place = place_of(stage)
            made = [one for one in stages[number + 1 :] if hasattr(one, "_map_func")]
            if "Shuffle" in type(stage).__name__ and made and place is not None:
                buffer = int(stage._buffer_size.numpy())
                count = int(stage.cardinality().numpy())
                held = min(buffer, count) if count >= 0 else buffer
                if held >= FEWEST:
                    self._tape.note(NAME, place)
                    self._tape.detail(NAME, place).update(held=held, each=bytes_of_element(stage))
                    self._filling = place, self._tape.ticks, own_bytes()
                return

    def _look(self, _frame: FrameType) -> None:
        if self._filling is None:
            return
        place, ticks, before = self._filling
        detail = self._tape.detail(NAME, place)
        detail["grown"] = max(detail.get("grown", 0), own_bytes() - before)
        if self._tape.ticks > ticks:
            self._filling = None


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The buffers that hold much of what is held at most."""
    for seen in trace.observations:
        if seen.kind == NAME:
            held, grown = seen.detail["held"], seen.detail.get("grown", 0)
            size = min(held * seen.detail["each"] or grown, grown)
            if is_much(size, trace.peak):
                yield _diagnosis(trace, seen, size)


def _diagnosis(trace: Trace, seen: Observation, size: int) -> Diagnosis:
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"the shuffle buffer holds {seen.detail['held']:,} decoded elements",
        evidence=(
            f"memory grew by {seen.detail['grown'] / 1e6:,.0f} MB from when the pipeline began "
            "until its first batch was used"
        ),
        remedy=(
            "shuffle file names or encoded records, before the `map` that decodes them, or give "
            "`shuffle` a smaller buffer"
        ),
        weight=Weight.MEMORY,
        share=share_of_memory(size, trace.peak),
    )
