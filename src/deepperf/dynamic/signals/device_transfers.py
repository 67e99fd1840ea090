"""Steps move data between host and device again and again, in a way that makes one wait.

What is told is mostly a note: a transfer's time is that of the work that it waits for. A copy from
memory that is not pinned keeps the program at its line as long as it takes.
"""

from __future__ import annotations

from collections.abc import Iterable

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, own_share_of, told_at
from deepperf.dynamic.frameworks.cuda_window import SYNCED
from deepperf.dynamic.frameworks.torch_transfers import MOVED
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "device-transfers"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution", "abnormal-gpu-utilization")
FEWEST_STEPS = 10
"""Steps in which a line was heard: fewer are the warm-up, or an evaluation."""
OFTEN = 4
"""Reads of one line in a step from which on they are more than the loss and a metric."""
LARGE = 1_000_000
"""Bytes of a step: to copy as many takes about as long as to start ten kernels."""


def watch(_tape: Tape) -> None:
    """Nothing: operations are heard for several signals."""


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that read often, fetch much, or send what the driver has to copy twice; and those
    that wait for the device otherwise."""
    told: set[tuple[str, int]] = set()
    for seen in trace.observations:
        if seen.kind == MOVED and seen.detail["steps"] >= FEWEST_STEPS:
            for found in _of_line(trace, seen):
                told.add((seen.file, seen.line))
                yield found
    for seen in trace.observations:
        if seen.kind == SYNCED and (seen.file, seen.line) not in told:
            yield from _of_waits(seen)


def _of_line(trace: Trace, seen: Observation) -> Iterable[Diagnosis]:
    detail = seen.detail
    steps = detail["steps"]
    if detail["to_host"] >= LARGE * steps:
        yield _diagnosis(
            seen,
            "results are copied to the host in every step",
            f"{detail['to_host'] / steps / 1e6:,.1f} MB in each of the {steps:,} steps that were "
            "heard, and the host waits for each copy",
            "keep computing on the device, and copy only the final result: a sum, a mean, an index",
        )
    elif detail["reads"] >= OFTEN * steps:
        yield _diagnosis(
            seen,
            "single values are read from the device many times within a step",
            f"{detail['reads'] / steps:,.0f} in each of the {steps:,} observed steps; each "
            "is a host-device synchronization",
            "keep them on the device, and read many at once with one `tolist()`",
        )
    if detail["paged"] >= LARGE * steps:
        yield _diagnosis(
            seen,
            "batches are copied to the device from unpinned memory, and the program waits",
            f"{detail['paged'] / steps / 1e6:,.1f} MB in each of the {steps:,} steps that were "
            "heard",
            "`DataLoader(..., pin_memory=True)` and `.to(device, non_blocking=True)`; what is used "
            "in every epoch and fits may stay on the device",
            own_share_of(trace, seen.file, seen.line),
        )


def _of_waits(seen: Observation) -> Iterable[Diagnosis]:
    steps = seen.detail["steps"]
    if seen.count >= OFTEN * steps:
        yield _diagnosis(
            seen,
            "the host waits for the device many times within a step",
            f"PyTorch warned of {seen.count / steps:,.0f} synchronizing operations in each of "
            f"{steps:,} steps",
            "leave out what needs a value or a size that the device computes: `nonzero`, masks as "
            "indices, `.item()`, copies without `non_blocking=True`; use `torch.where` instead",
        )


def _diagnosis(
    seen: Observation, message: str, evidence: str, remedy: str, share: float = 0.0
) -> Diagnosis:
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-data-transmission",
        message=message,
        evidence=evidence,
        remedy=remedy,
        weight=Weight.TIME if share >= FLOOR else Weight.HINT,
        share=share,
    )
