"""A Keras model is loaded or built again and again from one line."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, share_of_memory, share_of_seconds, told_at
from deepperf.dynamic.frameworks.model_loads import Again, Loads, loaded_again
from deepperf.dynamic.recording.clock import resident_bytes
from deepperf.dynamic.recording.frame_variables import own_variables
from deepperf.dynamic.recording.places import DEEPEST, Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "rebuilt-model"
RULES = ("model-per-turn",)
EXPLAINS_GROWTH = True
LOADED = f"{NAME} loaded"
BUILT = f"{NAME} built"
LOADERS = {
    "keras.src.saving.saving_api": "load_model",
    "tf_keras.src.saving.saving_api": "load_model",
    "tensorflow.python.saved_model.load": "load",
}
FEWEST_LEFT = 3
"""Models of one line that are left over at a time: one or two are what a loop replaces. Whether
they matter, the memory tells that the process has grown by since the second."""


def watch(tape: Tape) -> None:
    """Learn of each model that is loaded or made."""
    loads = Loads(tape, LOADED)
    loads.follow(LOADERS)
    made = _Made(tape, loads)
    tape.imports.after("keras.src.trainers.trainer", lambda module: made.watch(module.Trainer))
    tape.imports.after("tf_keras.src.engine.training", lambda module: made.watch(module.Model))


class _Made:
    """The models made at each line, as far as they are still there."""

    def __init__(self, tape: Tape, loads: Loads) -> None:
        self._tape = tape
        self._loads = loads
        self._models: dict[Place, list[weakref.ref[Any]]] = {}

    def watch(self, cls: Any) -> None:
        make = cls.__init__
        tape = self._tape

        @standing_for(make)
        def watched(model: Any, *arguments: Any, **named: Any) -> Any:
            if tape.active and not self._loads.is_loading:
                frame = sys._getframe(1)
                tape.guarded(NAME, lambda: self._take(model, frame))
            return make(model, *arguments, **named)

        cls.__init__ = watched

    def _take(self, model: Any, frame: FrameType) -> None:
        place = _asked_for(self._tape, model, frame)
        if place is None:
            return
        models = self._models.setdefault(place, [])
        if any(made() is model for made in models):
            return
        models[:] = [made for made in models if made() is not None]
        self._tape.note(BUILT, place)
        detail = self._tape.detail(BUILT, place)
        # What the first model brings with it is there once.
        if len(models) == 1:
            detail["before"] = resident_bytes()
        elif "before" in detail:
            grown = resident_bytes() - detail["before"]
            detail["bytes"] = max(detail.get("bytes", 0), grown)
        if len(models) == FEWEST_LEFT and "garbage" not in detail:
            # Told once whether somebody holds them still or nobody has cleaned up.
            gc.collect()
            detail["garbage"] = sum(made() is None for made in models)
        models.append(weakref.ref(model))


def _asked_for(tape: Tape, model: Any, frame: FrameType) -> Place | None:
    """The user's line that makes the model; None for the parts that Keras makes of itself."""
    for at in _frames(frame):
        code = at.f_code
        if code.co_name in ("build", "_maybe_rebuild") and code.co_filename.endswith(
            "sequential.py"
        ):
            return None
        if tape.code.path_of(code.co_filename) and not (
            code.co_name == "__init__" and own_variables(at).get("self") is model
        ):
            return tape.code.place(at)
    return None


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    for _ in range(DEEPEST):
        if frame is None:
            return
        yield frame
        frame = frame.f_back


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that loaded the same file often, or left models behind."""
    peak = trace.peak
    for seen in trace.observations:
        if seen.kind == LOADED:
            again = loaded_again(seen)
            if again is not None:
                yield _loaded(trace, seen, again)
        elif seen.kind == BUILT and seen.detail.get("garbage", 0) * 2 >= FEWEST_LEFT:
            yield _left(seen, peak)


def _loaded(trace: Trace, seen: Observation, again: Again) -> Diagnosis:
    return told_at(
        seen,
        signal=NAME,
        cause="graph-confusion",
        message="the same model is loaded repeatedly",
        evidence=(
            f"{again.times:,} times from one file, unchanged; all but one took "
            f"{again.seconds:.2f} s"
        ),
        remedy="load it once, at the start or behind a cache",
        share=share_of_seconds(trace, again.seconds),
        rule="model-per-turn",
    )


def _left(seen: Observation, peak: int) -> Diagnosis:
    garbage, size = seen.detail["garbage"], seen.detail.get("bytes", 0)
    return told_at(
        seen,
        signal=NAME,
        cause="graph-confusion",
        message="models are built here repeatedly, and the earlier ones are never released",
        evidence=(
            f"{seen.count:,} models; {garbage} of the last {FEWEST_LEFT} were kept alive only by "
            f"reference cycles; memory grew by {size / 1e6:,.0f} MB from the second on"
        ),
        remedy=(
            "call `keras.backend.clear_session()` before building the next, or build one and "
            "reset its weights"
        ),
        weight=Weight.MEMORY,
        share=share_of_memory(size, peak),
        rule="model-per-turn",
    )
