"""A tensor is made of a list of arrays or tensors: PyTorch takes it apart number by number."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.dynamic.diagnosis import Diagnosis, own_share_of, told_at
from deepperf.dynamic.frameworks.torch_lists import LISTED, NUMBERS
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "listed-arrays"
RULES = ("tensor-from-array-list",)
FEWEST_TIMES = 4
"""Tensors made of lists at a line, among those heard: fewer are made once, as a data set is."""
REMEDIES = {
    "arrays": "convert the list to one array first: `torch.from_numpy(np.stack(arrays))`",
    "tensors": "join them with `torch.stack`",
    NUMBERS: "keep them in an array from where they come from (`np.frombuffer`, `np.asarray`, a "
    "column of a table), and use `torch.from_numpy`",
}
SLOW = 1e-3
"""Seconds for one from which on it is felt: a few small arrays are no matter."""


def watch(tape: Tape) -> None:
    """What is needed is noted by what hears of PyTorch's operations."""


def diagnose(trace: Trace) -> Iterator[Diagnosis]:
    """The lines that make tensors so."""
    for seen in trace.observations:
        if seen.kind != LISTED or seen.detail["times"] < FEWEST_TIMES:
            continue
        if seen.detail["seconds"] >= SLOW * seen.detail["times"]:
            yield _diagnosis(trace, seen)


def _diagnosis(trace: Trace, seen: Observation) -> Diagnosis:
    detail = seen.detail
    parts, times = detail["parts"], detail["times"]
    return told_at(
        seen,
        signal=NAME,
        cause="missed-efficient-api",
        message=f"a tensor is created from a list of {parts}, number by number",
        evidence=(
            f"{times:,} sampled ones took {1000 * detail['seconds'] / times:.2g} ms each, "
            f"for {detail['numbers'] // times:,} numbers"
        ),
        remedy=REMEDIES[parts],
        share=own_share_of(trace, seen.file, seen.line) * detail["part"],
        # Where the numbers come from is not what the rule asks.
        rule="" if parts == NUMBERS else RULES[0],
    )
