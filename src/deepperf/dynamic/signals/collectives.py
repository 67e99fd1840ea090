"""Processes that train together exchange something many times within a step, or wait for all."""

from __future__ import annotations

from collections.abc import Iterable

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, share_of_seconds, told_at
from deepperf.dynamic.frameworks.counted_calls import count_calls, counted_of
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "collectives"
RULES = ("barrier-per-step",)
FEWEST_STEPS = 4
EVERY = 0.5
"""Part of the steps in which a line exchanges from which on it belongs to steps, not to epochs."""
MANY = 8
"""Exchanges of a line in a step from which on they are one for each of many tensors."""
TENSORS = (
    "all_reduce",
    "reduce",
    "broadcast",
    "all_gather",
    "all_gather_into_tensor",
    "reduce_scatter",
    "gather",
    "scatter",
)
OBJECTS = ("all_gather_object", "gather_object", "broadcast_object_list", "scatter_object_list")
BARRIER = "barrier"


def watch(tape: Tape) -> None:
    """Count what a program asks of the group of its processes itself."""
    home = "torch.distributed.distributed_c10d"
    # What a program calls is a copy of it in another module.
    for module in (home, "torch.distributed"):
        for names in (TENSORS, OBJECTS, (BARRIER,)):
            count_calls(tape, NAME, module, names)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that exchange many small things, pickle objects, or wait, in every step."""
    steps = max(trace.steps.values(), default=0)
    for seen, each in counted_of(trace, NAME):
        name = seen.detail["name"]
        if seen.detail["steps"] < max(FEWEST_STEPS, EVERY * steps):
            continue
        often = f"{each:,.0f} times in each of {seen.detail['steps']:,} steps"
        if name == BARRIER:
            yield _told(
                trace,
                seen,
                "processes wait for each other within every step",
                often,
                "leave it out: what exchanges gradients waits already",
                RULES[0],
            )
        elif name in OBJECTS:
            yield _told(
                trace,
                seen,
                "objects are pickled and sent to all processes in every step",
                often,
                "send tensors by `all_reduce`, only those that differ, and not in every step",
            )
        elif each >= MANY:
            yield _told(
                trace,
                seen,
                f"`{name}` is called for one tensor after the other",
                often,
                "exchange them together: flatten them into one tensor, use "
                "`DistributedDataParallel`, which exchanges buckets while gradients are computed, "
                "or `async_op=True` and one wait",
            )


def _told(
    trace: Trace, seen: Observation, message: str, often: str, remedy: str, rule: str = ""
) -> Diagnosis:
    share = share_of_seconds(trace, seen.seconds)
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-data-transmission",
        message=message,
        evidence=f"{often}; they took {seen.seconds:.2f} s",
        remedy=remedy,
        weight=Weight.TIME if share >= FLOOR else Weight.HINT,
        share=share,
        rule=rule,
    )
