"""A convolution takes most of a model's work, or makes far wider maps than known networks do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, share_of_memory, share_of_seconds, told_at
from deepperf.dynamic.frameworks.keras_calls import (
    ModelCall,
    count_of_map,
    listen_once,
    multiplications,
    places_of_layers,
    rows_of,
)
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "costly-convolution"
RULES = ("oversized-kernel", "wide-early-conv")
KERNEL, WIDE = f"{NAME} kernel", f"{NAME} wide"
LARGE = 9
"""Sides of kernels from which on stacks of small ones see as far for a part of the work."""
LARGE_ON_IMAGES = 12
"""In the layer that sees the image, where 7x7 and 11x11 are known to be good."""
COLOURS = 4
STEPS = 3
"""A kernel this many strides wide overlaps no more than the 7x7 and 11x11 stems do."""
MOST_WORK = 0.2
"""Part of the model's multiplications that a layer takes before its kernel matters."""
USUAL = 64
"""As many channels as VGG, U-Net and ResNet have before they make their maps smaller."""
MANY = 4_000_000
"""Numbers for one image; the widest map of VGG has 3.2 million."""
USUAL_BATCH = 32


def watch(tape: Tape) -> None:
    """Look at the layers of each model when it is trained."""
    places = places_of_layers(tape, NAME)
    listen_once(tape, NAME, ("fit", "train_on_batch"), lambda call: _look(tape, call, places))


def _look(tape: Tape, call: ModelCall, places: Any) -> None:
    work = list(multiplications(call.model))
    total = sum(flops for _, flops, _ in work)
    rows = rows_of(call.argument("x", 0))
    batch = call.argument("batch_size", 2) if call.method == "fit" else rows
    for layer, flops, made in work:
        kernel = [int(side) for side in getattr(layer, "kernel", layer).shape]
        place = places.get(layer)
        if place is None or len(kernel) != 4 or "Conv2D" not in type(layer).__name__:
            continue
        part = flops / total if total else 0.0
        detail = {"kernel": kernel, "part": part, "made": made}
        if _is_oversized(layer, kernel) and part >= MOST_WORK:
            tape.note(KERNEL, place, seconds=call.seconds, detail=detail)
        elif count_of_map(made) >= MANY and made[-1] > USUAL and _is_early(layer):
            held = 4 * count_of_map(made) * int(batch or USUAL_BATCH)
            tape.note(WIDE, place, size=held, detail={**detail, "batch": int(batch or USUAL_BATCH)})


def _is_oversized(layer: Any, kernel: list[int]) -> bool:
    side = kernel[0]
    strides = getattr(layer, "strides", (1, 1))
    if side != kernel[1] or side <= STEPS * max(strides) or kernel[3] <= COLOURS:
        return False
    return side >= (LARGE_ON_IMAGES if kernel[2] <= COLOURS else LARGE)


def _is_early(layer: Any) -> bool:
    """Whether it sees the image itself, which has few channels."""
    return int(layer.kernel.shape[2]) <= COLOURS


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The layers that cost."""
    peak = trace.peak
    for seen in trace.observations:
        if seen.kind == KERNEL:
            yield _of_kernel(trace, seen)
        elif seen.kind == WIDE:
            yield _of_wide(seen, peak)


def _of_kernel(trace: Trace, seen: Observation) -> Diagnosis:
    side, part = seen.detail["kernel"][0], seen.detail["part"]
    saved = part * (1.0 - 9.0 / side**2)
    return told_at(
        seen,
        signal=NAME,
        cause="improper-model-parameter",
        message=f"kernels of {side}x{side} do {part:.0%} of the model's multiplications",
        evidence=f"as much as {round(side**2 / 9)} of 3x3 do; {seen.seconds:.2f} s of training",
        remedy="stack 3x3 convolutions, with pooling or strides between them",
        share=share_of_seconds(trace, saved * seen.seconds),
        rule="oversized-kernel",
    )


def _of_wide(seen: Observation, peak: int) -> Diagnosis:
    made = seen.detail["made"]
    shape = " x ".join(map(str, made))
    return told_at(
        seen,
        signal=NAME,
        cause="improper-model-parameter",
        message=f"has {made[-1]} output channels on an image that is still large",
        evidence=(
            f"{shape} numbers for each image, {seen.bytes / 1e6:,.0f} MB for a batch of "
            f"{seen.detail['batch']}"
        ),
        remedy="use fewer channels here, and more after pooling or strides",
        weight=Weight.MEMORY,
        share=share_of_memory(seen.bytes, peak),
        rule="wide-early-conv",
    )
