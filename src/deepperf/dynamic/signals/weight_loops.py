"""Each step computes with a model's weights, or their gradients, one after the other."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, own_share_of, told_at
from deepperf.dynamic.program.operation_loops import TINY
from deepperf.dynamic.program.weights import loop_over_weights
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.signals import host_reads, torch_loops

NAME = "weight-loops"
RULES = ("parameter-loop",)
OFTEN = 16
"""Operations in a step from which on they are more than a look at one or two weights."""
FEWEST_STEPS = 8
"""Steps in which they were heard: fewer are epochs."""


def watch(_tape: Tape) -> None:
    """Nothing: operations are heard for several signals."""


def diagnose(trace: Trace) -> Iterator[Diagnosis]:
    """The lines of such loops, but for those that are told as other loops, or as reads of single
    values."""
    others = (*host_reads.diagnose(trace), *torch_loops.diagnose(trace))
    told = {(one.file, one.line) for one in others}
    loops: dict[tuple[str, int], list[Observation]] = {}
    for seen in trace.observations:
        if seen.kind != torch_loops.NAME or (seen.file, seen.line) in told:
            continue
        if seen.detail.get("steps", 0) >= FEWEST_STEPS:
            first = loop_over_weights(seen.file, seen.line)
            if first is not None and (seen.file, first) not in told:
                loops.setdefault((seen.file, first), []).append(seen)
    for lines in loops.values():
        each = sum(one.detail["heard"] / one.detail["steps"] for one in lines)
        if each >= OFTEN:
            yield _diagnosis(trace, lines, each)


def _diagnosis(trace: Trace, lines: list[Observation], each: float) -> Diagnosis:
    most = max(lines, key=lambda one: one.detail["heard"])
    # What computes with large weights takes as long for all at once.
    small = [one for one in lines if one.detail["elements"] <= TINY * one.detail["heard"]]
    share = sum(own_share_of(trace, one.file, one.line) for one in small)
    return told_at(
        most,
        signal=NAME,
        cause="missed-efficient-api",
        message="the weights of a model are computed with one after the other, in each step",
        evidence=f"{each:,.0f} small operations were heard in each of "
        f"{most.detail['steps']:,} steps",
        remedy="compute with all at once: `torch.optim.swa_utils.AveragedModel` with a "
        "`multi_avg_fn` for averages, `torch.nn.utils.get_total_norm` for norms, "
        "the optimizer's `weight_decay` for a penalty, `torch._foreach_mul_` and its kin for "
        "the rest",
        weight=Weight.TIME if share >= FLOOR else Weight.HINT,
        share=share if share >= FLOOR else 0.0,
        rule=RULES[0],
    )
