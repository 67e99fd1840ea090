"""Logits are computed for each position of a sequence, and those of one are used."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, own_share_of, told_at
from deepperf.dynamic.frameworks.torch_positions import ONE_USED
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "unused-positions"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution", "out-of-memory")
FEWEST = 8
"""Times, of those heard: fewer are a look at a few examples."""


def watch(_tape: Tape) -> None:
    """Nothing: operations are heard for several signals."""


def diagnose(trace: Trace) -> Iterator[Diagnosis]:
    """The lines that compute them, where nobody was seen to use more than one position."""
    for seen in trace.observations:
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
