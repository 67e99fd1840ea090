"""A frozen part of a Keras model computes the same for the same samples in each epoch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, share_of_seconds, told_at
from deepperf.dynamic.frameworks.keras_calls import ModelCall, listen
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace

NAME = "frozen-features"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
FEWEST_LAYERS = 2
"""Layers of a frozen model: an embedding alone only looks something up."""
LEAST = 0.05
"""Share of the run that a training takes from which on it is worth a note."""
EPOCHS_AT = 3


def watch(tape: Tape) -> None:
    """Learn what each training leaves as it is."""
    listen(tape, NAME, ("fit",), lambda call: _look(tape, call))


def _look(tape: Tape, call: ModelCall) -> None:
    epochs = call.argument("epochs", EPOCHS_AT) or 1
    if not isinstance(epochs, int) or epochs < 2:
        return
    for layer in list(getattr(call.model, "layers", ()))[:2]:
        # What augments comes first; behind a layer that learns, what is frozen gets other input.
        if layer.trainable_weights:
            return
        if _is_frozen(layer):
            tape.note(NAME, call.place, seconds=call.seconds)
            detail = tape.detail(NAME, call.place)
            detail.update(model=str(layer.name), epochs=max(epochs, detail.get("epochs", 0)))
            return


def _is_frozen(layer: Any) -> bool:
    parts = getattr(layer, "layers", ())
    is_large = sum(bool(getattr(part, "weights", ())) for part in parts) >= FEWEST_LAYERS
    return is_large and not layer.trainable_weights


def diagnose(trace: Trace) -> Iterator[Diagnosis]:
    """The trainings that compute what they could keep."""
    for seen in trace.observations:
        share = share_of_seconds(trace, seen.seconds) if seen.kind == NAME else 0.0
        if share >= LEAST:
            yield told_at(
                seen,
                signal=NAME,
                cause="inefficient-model-structure",
                message=f"the frozen `{seen.detail['model']}` computes the same for the same "
                f"samples in each of {seen.detail['epochs']:,} epochs",
                evidence=f"such trainings took {seen.seconds:.1f} s",
                remedy="compute its features once, and train what follows on them; where samples "
                "are augmented, for some augmented copies of each",
                # Nobody knows how much of a step it is, nor whether samples are changed before.
                weight=Weight.HINT,
            )
