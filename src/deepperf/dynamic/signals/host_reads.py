"""Single values of tensors are read again and again: on a device, each read waits for it."""

from __future__ import annotations

from collections.abc import Iterable

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, own_share_of, told_at
from deepperf.dynamic.program.loops import loop_around, loops_at
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.signals import torch_loops

NAME = "host-reads"
RULES = ("host-sync-in-loop",)
OFTEN = 8
"""Reads of one line in a step from which on they are more than a loss and some metrics."""
MANY = 64
"""Reads of a line, of those heard, from which on a program without steps is told of them."""
MOSTLY = 0.5
"""Part of a line's operations from which on to read is what its time goes to."""


def watch(_tape: Tape) -> None:
    """Nothing: operations are heard for several signals."""


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that read many single values, but for those that are told as loops already."""
    told = {(one.file, one.line) for one in torch_loops.diagnose(trace)}
    for seen in trace.observations:
        if seen.kind == torch_loops.NAME and "reads" in seen.detail:
            around = {first for first, _ in loops_at(seen.file, seen.line)} | {seen.line}
            is_told = any((seen.file, line) in told for line in around)
            if not is_told and not _is_of_batches(trace, seen):
                yield from _of_line(trace, seen)


def _is_of_batches(trace: Trace, seen: Observation) -> bool:
    """Whether each turn of the loop runs a model, and then reads what that gave."""
    loop = loop_around(seen.file, seen.line) or (seen.line, seen.line)
    calls = (
        one.detail.get("calls", 0)
        for one in trace.observations
        if one.kind == seen.kind and one.file == seen.file and loop[0] <= one.line <= loop[1]
    )
    return bool(max(calls, default=0) >= seen.detail["reads"])


def _of_line(trace: Trace, seen: Observation) -> Iterable[Diagnosis]:
    reads, steps = seen.detail["reads"], seen.detail["steps"]
    each = reads / max(1, steps)
    if reads < MANY or each < OFTEN:
        return
    share = own_share_of(trace, seen.file, seen.line)
    is_all = reads >= MOSTLY * (reads + seen.detail["heard"]) and share >= FLOOR
    often = f"{each:,.0f} in each of {steps:,} steps" if steps > 1 else f"{reads:,}"
    yield told_at(
        seen,
        signal=NAME,
        cause="inefficient-data-transmission",
        message="single values are read from tensors one by one",
        evidence=f"{often} were heard; on a GPU each is a host-device synchronization",
        remedy="compute with whole tensors (`torch.stack`, `torch._foreach_norm`, masks), and read "
        "all results at once by one `tolist()`, not in every step",
        weight=Weight.TIME if is_all else Weight.HINT,
        share=share if is_all else 0.0,
        rule=RULES[0],
    )
