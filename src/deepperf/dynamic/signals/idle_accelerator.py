"""A training uses an accelerator that has nothing to do for most of the time of the steps.

What is told is a note: the loss is that of what keeps the device waiting, which other signals tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from deepperf.dynamic.diagnosis import FLOOR, WORTH_TELLING, Diagnosis, Weight, Where, told_at
from deepperf.dynamic.frameworks.cuda_window import IDLE as IDLE_AT
from deepperf.dynamic.frameworks.cuda_window import WINDOW
from deepperf.dynamic.frameworks.device_use import uses_of
from deepperf.dynamic.recording.accelerators import SEEN, accelerators_of
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace
from deepperf.dynamic.signals import signals

NAME = "idle-accelerator"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("abnormal-gpu-utilization",)
IDLE = 0.3
"""Part of the time in which some kernel ran, below which the device mostly waits for the host."""
FEWEST_LOOKS = 10
"""Looks at the device, a second apart: fewer are the warm-up."""
FEWEST_STEPS = 32
MOST = 0.5
"""Part of the idle time at a line from which on one cause of it is told."""
MOST_LINES = 3


def watch(_tape: Tape) -> None:
    """Nothing: devices are looked at for several signals."""


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """That the device waits, and for what: as was seen in a window, or as its driver says."""
    seen = next((one for one in trace.observations if one.kind == WINDOW), None)
    if seen is not None:
        yield from _of_window(trace, seen.detail)
        return
    there = accelerators_of(trace)
    uses = [use for use in uses_of(trace) if use.used]
    looks = sum(seen.detail["looks"] for seen in trace.observations if seen.kind == SEEN)
    steps = max(trace.steps.values(), default=0)
    if there is None or there.busy is None or not uses:
        return
    if there.busy >= IDLE or looks < FEWEST_LOOKS or steps < FEWEST_STEPS:
        return
    yield _diagnosis(
        trace,
        uses[0].at,
        f"a kernel ran in {there.busy:.0%} of the time, in {looks:,} samples of the driver",
        "larger batches and a compiled step give it more work per launch",
    )


def _of_window(trace: Trace, window: Mapping[str, Any]) -> Iterable[Diagnosis]:
    idle = sorted(
        (one for one in trace.observations if one.kind == IDLE_AT), key=lambda one: -one.seconds
    )
    busy = window["busy"] / window["seconds"] if window["seconds"] else 1.0
    if busy >= IDLE or not idle:
        return
    parts = ", ".join(
        f"{one.detail['part']:.0%} at line {one.line}"
        for one in idle[:MOST_LINES]
        if one.detail["part"] >= WORTH_TELLING
    )
    first = idle[0]
    yield _diagnosis(
        trace,
        first,
        f"it was at work in {busy:.0%} of {window['seconds']:.2f} s, {window['steps']} steps with "
        f"{window['kernels']:,} kernels and copies; idle: {parts}",
        _remedy(first.detail),
    )


def _remedy(idle: Mapping[str, Any]) -> str:
    """What helps where the device is mostly idle."""
    if idle["launching"] >= MOST * idle["part"]:
        return (
            "give it more work per launch: larger batches, `torch.compile` (with "
            '`mode="reduce-overhead"` for small ones), `fused=True` for the optimizer'
        )
    if idle["waited"] >= MOST * idle["part"]:
        return (
            "do not wait for results there: the next kernels are launched only afterwards, and "
            "the device runs dry meanwhile"
        )
    return "let the host do this ahead of time, in loader workers or a thread, or on the device"


def _diagnosis(trace: Trace, where: Where, seen: str, remedy: str) -> Diagnosis:
    costliest = _costliest(trace)
    also = "" if costliest is None else f"; line {costliest.line}: {costliest.message}"
    return told_at(
        where,
        signal=NAME,
        cause="inefficient-api-usage" if costliest is None else costliest.cause,
        message="the GPU is idle for most of each step",
        evidence=seen + also,
        remedy=remedy if costliest is None else costliest.remedy,
        weight=Weight.HINT,
    )


def _costliest(trace: Trace) -> Diagnosis | None:
    """The greatest loss of time that another signal tells."""
    others = (signal for signal in signals() if signal.NAME != NAME)
    found = [one for signal in others for one in signal.diagnose(trace)]
    times = [one for one in found if one.weight is Weight.TIME and one.share >= FLOOR]
    return max(times, key=lambda one: one.share, default=None)
