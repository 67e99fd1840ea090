"""A training uses an accelerator that has nothing to do for most of the time of the steps.

What is told is a note: the loss is that of what keeps the device waiting, which other signals tell.
"""

from __future__ import annotations

from collections.abc import Iterable

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, told_at
from deepperf.dynamic.frameworks.device_use import uses_of
from deepperf.dynamic.recording.accelerators import SEEN, accelerators_of
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace
from deepperf.dynamic.signals import signals

NAME = "idle-accelerator"
RULES: tuple[str, ...] = ()
IDLE = 0.3
"""Part of the time in which some kernel ran, below which the device mostly waits for the host."""
FEWEST_LOOKS = 10
"""Looks at the device, a second apart: fewer are the warm-up."""
FEWEST_STEPS = 32


def watch(_tape: Tape) -> None:
    """Nothing: devices are looked at for several signals."""


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """That the device waits, and for what, where another signal says so."""
    there = accelerators_of(trace)
    uses = [use for use in uses_of(trace) if use.used]
    looks = sum(seen.detail["looks"] for seen in trace.observations if seen.kind == SEEN)
    steps = max(trace.steps.values(), default=0)
    if there is None or there.busy is None or not uses:
        return
    if there.busy >= IDLE or looks < FEWEST_LOOKS or steps < FEWEST_STEPS:
        return
    costliest = _costliest(trace)
    yield told_at(
        uses[0].at,
        signal=NAME,
        cause="inefficient-api-usage" if costliest is None else costliest.cause,
        message="the GPU is idle for most of each step",
        evidence=(
            f"a kernel ran in {there.busy:.0%} of the time, in {looks:,} samples of the driver"
            + (f"; line {costliest.line}: {costliest.message}" if costliest is not None else "")
        ),
        remedy=(
            "larger batches and a compiled step give it more work per launch"
            if costliest is None
            else costliest.remedy
        ),
        weight=Weight.HINT,
    )


def _costliest(trace: Trace) -> Diagnosis | None:
    """The greatest loss of time that another signal tells."""
    others = (signal for signal in signals() if signal.NAME != NAME)
    found = [one for signal in others for one in signal.diagnose(trace)]
    times = [one for one in found if one.weight is Weight.TIME and one.share >= FLOOR]
    return max(times, key=lambda one: one.share, default=None)
