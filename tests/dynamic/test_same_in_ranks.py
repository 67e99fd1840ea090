"""Ranks that all evaluate the same samples are told, those that divide them are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.made import script, trace_of
from tests.dynamic.watched import needs

from deepperf.dynamic.diagnosis import Diagnosis
from deepperf.dynamic.processes import diagnose_all
from deepperf.dynamic.recording.trace import Observation, Samples
from deepperf.dynamic.signals.same_in_ranks import NAME

EVALUATED = """\
def evaluate(model, loader):
    for rows in loader:
        model(rows)
"""


def told(folder: Path, *rows: range, widest: int = 8) -> list[Diagnosis]:
    """What is told of ranks that evaluated rows of these numbers in four tenths of the run."""
    path = script(folder, EVALUATED)
    samples = (Samples(str(path), 3, "evaluate", 200, 200, 0),)
    ranks = [
        trace_of(
            path,
            process=rank + 1,
            rank=rank,
            ranks=len(rows),
            samples=samples,
            observations=(
                Observation(
                    NAME,
                    str(path),
                    3,
                    "evaluate",
                    detail={"rank": rank, "rows": [*numbers], "widest": widest},
                ),
            ),
        )
        for rank, numbers in enumerate(rows)
    ]
    return [one for one in diagnose_all(ranks) if one.signal == NAME]


def test_ranks_that_meet_the_same_rows_are_told_once_with_what_dividing_them_saves(
    tmp_path: Path,
) -> None:
    (one,) = told(tmp_path, range(100), range(50, 150))
    assert (one.line, one.function) == (3, "evaluate")
    assert one.share == pytest.approx(0.2)
    assert one.message == "each of 2 ranks evaluates the same samples"
    assert "50 of 150 sampled rows" in one.evidence


def test_ranks_that_divide_the_samples_but_for_a_last_batch_are_not_told(tmp_path: Path) -> None:
    assert told(tmp_path, range(100), range(100, 200)) == []
    assert told(tmp_path, range(100), range(80, 200), widest=32) == []
    assert told(tmp_path, range(100)) == []


def test_rows_are_told_from_each_other_alike_in_each_process() -> None:
    needs("torch")
    import torch

    from deepperf.dynamic.frameworks.torch_calls import ModuleCall
    from deepperf.dynamic.signals.prepared_again import keys_of_rows

    def keys(rows: torch.Tensor) -> list[int]:
        call = ModuleCall(torch, torch.nn.Identity(), (rows,), {}, rows, (), 0.0)
        return [*keys_of_rows(call, rows)]

    rows = torch.arange(4 * 64.0).view(4, 64)
    assert len({*keys(rows)}) == 4
    assert keys(rows[2:].clone()) == keys(rows)[2:]
