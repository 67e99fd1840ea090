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
LONG = 0.3
"""Seconds for one exchange of objects, or for a barrier, from which on it is waiting: for what
another process does first."""
COSTLY = 0.05
"""Share of the run from which on such waiting, now and then, is worth sharing the work."""


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
        if seen.detail["steps"] < FEWEST_STEPS:
            continue
        if seen.detail["steps"] < EVERY * steps:
            yield from _of_waiting(trace, seen)
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


def _of_waiting(trace: Trace, seen: Observation) -> Iterable[Diagnosis]:
    """What is done seldom, and lasts as long as another process works alone."""
    name, share = seen.detail["name"], share_of_seconds(trace, seen.seconds)
    if name not in (*OBJECTS, BARRIER) or share < COSTLY or seen.seconds < LONG * seen.count:
        return
    yield told_at(
        seen,
        signal=NAME,
        cause="inefficient-data-transmission",
        message=f"a process waits in `{name}` for what another does alone",
        evidence=(
            f"{seen.count:,} times, {seen.seconds / seen.count:,.1f} s each, far more than it takes"
        ),
        remedy=(
            "share what is done before it among the processes, such as the samples of an "
            "evaluation, or let the others go on meanwhile"
        ),
        share=share,
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
