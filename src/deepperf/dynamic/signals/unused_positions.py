"""Logits are computed for each position of a sequence, and those of one, or of few, are used."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, own_share_of, told_at
from deepperf.dynamic.frameworks.torch_positions import ONE_USED
from deepperf.dynamic.frameworks.torch_targets import FEW_COUNTED
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "unused-positions"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution", "out-of-memory")
FEWEST = 8
"""Times, of those heard: fewer are a look at a few examples."""
LEFT_OUT = 0.5
"""Part of the positions that a loss leaves out from which on picking the others first is felt."""
MOST_BACK = 3.0
"""How many times as long as a forward pass a backward pass may take: of a few heard ones, one may
have set something up."""


def watch(_tape: Tape) -> None:
    """Nothing: operations are heard for several signals."""


def diagnose(trace: Trace) -> Iterator[Diagnosis]:
    """The lines that compute them, where nobody was seen to use more than one position, or where
    a loss leaves most of them out."""
    for seen in trace.observations:
        if seen.kind == FEW_COUNTED and seen.detail["times"] >= FEWEST:
            yield from _of_targets(trace, seen)
        if seen.kind == ONE_USED and seen.detail["picked"] >= FEWEST and not seen.detail["used"]:
            yield _diagnosis(trace, seen)


def _diagnosis(trace: Trace, seen: Observation) -> Diagnosis:
    detail = seen.detail
    unused = 1 - 1 / detail["positions"]
    part = detail["seconds"] / detail["all"] if detail["all"] else 0.0
    share = own_share_of(trace, seen.file, seen.line) * part * unused
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message="logits of all positions are computed, and those of one are used",
        evidence=(
            f"{detail['picked']:,} of {detail['times']:,} heard times; {detail['width']:,} numbers "
            f"for each of {detail['positions']:,} positions"
        ),
        remedy="apply the last layer to the last position alone, `self.head(hidden[:, -1])`; "
        "models of Transformers take `logits_to_keep=1`",
        weight=Weight.TIME if share >= FLOOR else Weight.HINT,
        share=share,
    )


def _of_targets(trace: Trace, seen: Observation) -> Iterator[Diagnosis]:
    detail = seen.detail
    unused = 1 - detail["counted"] / detail["answers"]
    # The loss may be asked about a part of what was computed.
    part = min(1.0, detail["positions"] / detail["answers"])
    forward = _part_of_line(trace, seen.file, seen.line, detail["seconds"], detail["all"])
    if "asked" in detail:
        file, line = detail["asked"]
        forward += _part_of_line(trace, file, line, detail["losing"], detail["all_asked"])
    share = min(1.0, unused * part * forward * (1.0 + min(MOST_BACK, detail["back"])))
    if unused < LEFT_OUT:
        return
    yield told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message="logits of all positions are computed, and the loss leaves most of them out",
        evidence=(
            f"{unused:.0%} of {detail['answers']:,} sampled positions, with {detail['width']:,} "
            "numbers for each; their part of the backward pass is estimated"
        ),
        remedy="pick the positions that count before the last layer, "
        "`self.head(hidden[labels != -100])`, and give the loss the labels of these alone",
        weight=Weight.TIME if share >= FLOOR else Weight.HINT,
        share=share,
    )


def _part_of_line(trace: Trace, file: str, line: int, seconds: float, whole: float) -> float:
    return own_share_of(trace, file, line) * seconds / whole if whole else 0.0
