"""One weight holds nearly all of the many numbers of a Keras model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, share_of_memory, told_at
from deepperf.dynamic.frameworks.keras_calls import (
    ModelCall,
    count_of,
    layers_of,
    listen_once,
    places_of_layers,
)
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace

NAME = "large-layer"
RULES = ("oversized-dense",)
MOST = 0.8
"""Share of a model's numbers that one weight may hold: of VGG, the largest holds 74 %."""
MANY = 4_000_000
"""Numbers of a weight that no device minds: 16 MB, and four times that with Adam's moments."""
LOOKUPS = ("Embedding", "StringLookup", "IntegerLookup", "TokenAndPositionEmbedding")
"""Layers that read a few rows of their table: size costs memory, but no time."""


def watch(tape: Tape) -> None:
    """Remember where each layer was made, and look at a model when it is trained."""
    places = places_of_layers(tape, NAME)
    listen_once(tape, NAME, ("fit", "train_on_batch"), lambda call: _look(tape, call, places))


def _look(tape: Tape, call: ModelCall, places: Any) -> None:
    model = call.model
    total = sum(count_of(weight) for weight in model.weights)
    largest = max(
        ((count_of(weight), number, layer) for number, layer, weight in _kernels(model)),
        default=None,
    )
    if largest is None or largest[0] < MANY or largest[0] < MOST * total:
        return
    count, _, layer = largest
    place = places.get(layer, call.place)
    shape = next(weight.shape for weight in layer.weights if count_of(weight) == count)
    kept: Any = getattr(getattr(model, "optimizer", None), "variables", ())
    slots = sum(count_of(slot) == count for slot in (kept() if callable(kept) else kept))
    tape.note(
        NAME,
        place,
        size=4 * count * (2 + slots),
        detail={
            "layer": type(layer).__name__,
            "shape": [int(side) for side in shape],
            "count": count,
            "total": total,
            "slots": slots,
        },
    )


def _kernels(model: Any) -> Iterable[tuple[int, Any, Any]]:
    number = 0
    for layer in layers_of(model):
        if type(layer).__name__ in LOOKUPS:
            continue
        own: Any = getattr(layer, "_trainable_variables", None) or getattr(
            layer, "_trainable_weights", ()
        )
        for weight in own:
            number += 1
            yield number, layer, weight


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that made the layers."""
    peak = trace.peak
    for seen in trace.observations:
        if seen.kind != NAME:
            continue
        count, total = seen.detail["count"], seen.detail["total"]
        sides = " x ".join(f"{side:,}" for side in seen.detail["shape"])
        yield told_at(
            seen,
            signal=NAME,
            cause="inefficient-model-structure",
            message=f"this {seen.detail['layer']} layer holds {count / total:.0%} of the model",
            evidence=(
                f"{sides} weights of {total:,}; {seen.bytes / 1e6:,.0f} MB with the gradient and "
                f"{seen.detail['slots']} moments of the optimizer"
            ),
            remedy=(
                "pool the feature maps before flattening, with `GlobalAveragePooling2D` or more "
                "pooling, or make the layer narrower"
            ),
            weight=Weight.MEMORY,
            share=share_of_memory(seen.bytes, peak),
            rule="oversized-dense",
        )
