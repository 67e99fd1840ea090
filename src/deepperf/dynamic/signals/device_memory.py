"""PyTorch's allocator holds far more of a device's memory than tensors ever took of it at once.

What is told is a note: nothing is slower for it, but larger batches do not fit.
"""

from __future__ import annotations

from collections.abc import Iterable

from deepperf.dynamic.diagnosis import Diagnosis, Weight, told_at
from deepperf.dynamic.frameworks.device_use import DEVICE_MEMORY
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace

NAME = "device-memory"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("abnormal-gpu-memory", "out-of-memory")
TIMES = 1.5
"""How many times as much is reserved as was allocated from which on it is told."""
LARGE = 1_000_000_000
"""Bytes between the two below which nobody minds."""


def watch(_tape: Tape) -> None:
    """Nothing: devices are asked for several signals."""


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """What was reserved and allocated at most, where they are far apart."""
    found = [seen for seen in trace.observations if seen.kind == DEVICE_MEMORY]
    seen = max(found, key=lambda one: int(one.detail["reserved"]), default=None)
    if seen is None:
        return
    reserved, allocated = seen.detail["reserved"], seen.detail["allocated"]
    if reserved < TIMES * allocated or reserved - allocated < LARGE:
        return
    retries = seen.detail["retries"]
    again = f"; {retries:,} allocations only succeeded once the cache was emptied" * bool(retries)
    yield told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message="PyTorch reserves far more GPU memory than its tensors take",
        evidence=(
            f"{reserved / 1e9:,.1f} GB were reserved, and at most {allocated / 1e9:,.1f} GB "
            f"allocated at once, of {seen.detail['whole'] / 1e9:,.0f} GB{again}"
        ),
        remedy=(
            "sizes that change leave gaps: set "
            "`PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`, or pad to a few sizes; a single "
            "large step, such as an evaluation, may be followed by `torch.cuda.empty_cache()`"
        ),
        weight=Weight.HINT,
    )
