"""Weights are loaded from the same file, or a PyTorch model is built, again and again."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import replace
from types import FrameType
from typing import Any

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, share_of, share_of_seconds, told_at
from deepperf.dynamic.frameworks.model_loads import Loads, loaded_again
from deepperf.dynamic.recording.frame_variables import own_variables
from deepperf.dynamic.recording.places import DEEPEST, Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "torch-model-per-turn"
RULES = ("model-per-turn",)
EXPLAINS_GROWTH = True
LOADED, BUILT, DROPPED = f"{NAME} loaded", f"{NAME} built", f"{NAME} dropped"
LAYERS = "torch.nn."
"""Where the layers are made of which a program puts its models together."""
FEWEST_BUILT = 8
"""Times that a line builds a model: folds of a cross-validation are fewer, or train each longer."""
STEPS_EACH = 4
"""Steps for each model built up to which it is made for the turn, and not trained."""
FUNCTIONS = {"torch": "load", "safetensors.torch": "load_file"}
CLASSES = {
    "transformers.modeling_utils": "PreTrainedModel",
    "transformers.tokenization_utils_base": "PreTrainedTokenizerBase",
}


def watch(tape: Tape) -> None:
    """Learn of what is loaded, and of models that are built between steps."""
    loads = Loads(tape, LOADED)
    loads.follow(FUNCTIONS)
    loads.follow_classes(CLASSES)
    tape.imports.after("torch.nn.modules.module", lambda module: _Builds(tape).watch(module))


class _Line:
    """The last two models that one line has built."""

    __slots__ = ("before", "last")

    def __init__(self) -> None:
        self.last: weakref.ref[Any] | None = None
        self.before: weakref.ref[Any] | None = None


class _Builds:
    """Counts, by line, models that were built between steps, and those that were dropped again."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._ticks = 0
        self._lines: dict[Place, _Line] = {}

    def watch(self, module: Any) -> None:
        module.register_module_parameter_registration_hook(self._registered)

    def _registered(self, module: Any, _name: str, _parameter: Any) -> None:
        if self._tape.active:
            frame = sys._getframe(1)
            self._tape.guarded(NAME, lambda: self._look(module, frame))

    def _look(self, module: Any, frame: FrameType | None) -> None:
        outermost = _outermost(frame)
        place = self._tape.code.place(frame if outermost is None else outermost.f_back)
        if place is None:
            return
        ticks = self._tape.ticks
        # Of what is built between two steps, the first parameter stands for all.
        if ticks != self._ticks:
            self._ticks = ticks
            self._note(BUILT, place, module)
        model = None if outermost is None else own_variables(outermost).get("self")
        line = self._lines.get(place)
        if line is None:
            line = self._lines[place] = _Line()
        is_known = line.last is not None and line.last() is model
        if is_known or not isinstance(model, sys.modules["torch"].nn.Module):
            return
        # The last may still have a name; the one before has none where none is to be kept.
        if line.before is not None and line.before() is None:
            self._note(DROPPED, place, model)
        line.before, line.last = line.last, weakref.ref(model)

    def _note(self, kind: str, place: Place, module: Any) -> None:
        self._tape.note(kind, place)
        detail = self._tape.detail(kind, place)
        detail.setdefault("first", self._tape.ticks)
        detail["last"] = self._tape.ticks
        detail.setdefault("module", type(module).__name__)
        detail.setdefault("layer", type(module).__module__.startswith(LAYERS))


def _outermost(frame: FrameType | None) -> FrameType | None:
    """Where the outermost thing is made that is being made."""
    outermost = None
    for _ in range(DEEPEST):
        if frame is None:
            break
        if frame.f_code.co_name == "__init__":
            outermost = frame
        frame = frame.f_back
    return outermost


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that load the same again, and those that build again."""
    loaded = [found for seen in trace.observations for found in _of_loads(trace, seen)]
    yield from loaded
    lines = {(found.file, found.line) for found in loaded}
    parts: dict[tuple[str, str], list[Diagnosis]] = {}
    for seen in trace.observations:
        if seen.kind not in (BUILT, DROPPED) or seen.count < FEWEST_BUILT:
            continue
        share = share_of(trace, seen.file, seen.line)
        between = seen.detail["last"] - seen.detail["first"]
        # What is loaded is built, too, and it is the loading that can be spared.
        is_told = (seen.file, seen.line) in lines
        if share < FLOOR or between > STEPS_EACH * seen.count or is_told:
            continue
        told = _of_builds(seen, share)
        if seen.kind == DROPPED and seen.detail.get("layer"):
            parts.setdefault((seen.file, seen.function), []).append(told)
        else:
            yield told
    for layers in parts.values():
        # A function that puts layers together builds one model.
        most = max(layers, key=lambda told: (told.share, -told.line))
        yield replace(most, share=min(1.0, sum(told.share for told in layers)))


def _of_loads(trace: Trace, seen: Observation) -> Iterator[Diagnosis]:
    again = loaded_again(seen) if seen.kind == LOADED else None
    if again is not None:
        yield told_at(
            seen,
            signal=NAME,
            cause="inefficient-api-usage",
            message=f"`{again.name}` is loaded repeatedly",
            evidence=f"{again.times:,} loads of it, unchanged; all but one took "
            f"{again.seconds:.2f} s",
            remedy="load it once, before the loop or when the service starts, and keep it",
            share=share_of_seconds(trace, again.seconds),
            rule="model-per-turn",
        )


def _of_builds(seen: Observation, share: float) -> Diagnosis:
    steps = seen.detail["last"] - seen.detail["first"]
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message=(
            "a model is built repeatedly while another trains"
            if seen.kind == BUILT
            else f"a `{seen.detail['module']}` is built repeatedly, and dropped"
        ),
        evidence=f"its parameters were created at least {seen.count:,} times"
        + (f" within {steps:,} steps" if steps else ""),
        remedy="build it once, before the loop, and reset its weights where it has to start again",
        share=share,
        rule="model-per-turn",
    )
