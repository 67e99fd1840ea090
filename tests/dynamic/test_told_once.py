"""What costs time at one line for one kind of reason is one finding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.dynamic.made import HOT, diagnosis, script, trace_of

from deepperf.dynamic.diagnosis import Weight, share_of, told_once
from deepperf.dynamic.recording.trace import Samples, Stack

HERE = Path("train.py")
GENERAL: dict[str, Any] = {
    "signal": "torch-loops",
    "cause": "missed-batch-api",
    "rule": "",
    "is_general": True,
}


def test_of_two_that_share_their_time_the_one_with_a_rule_is_told() -> None:
    rule = diagnosis(HERE, share=0.3, rule="tensor-from-array-list")
    (told,) = told_once([diagnosis(HERE, share=0.4, **GENERAL), rule])
    assert (told.rule, told.share) == ("tensor-from-array-list", 0.4)


@pytest.mark.parametrize(
    "other",
    [
        diagnosis(HERE, line=1, **GENERAL),
        diagnosis(HERE, **{**GENERAL, "cause": "inefficient-data-preprocessing"}),
        diagnosis(HERE, **{**GENERAL, "weight": Weight.MEMORY}),
        diagnosis(HERE, rule="looped-draw"),
        diagnosis(HERE, **{**GENERAL, "is_general": False}),
    ],
    ids=["another line", "another kind of cause", "memory", "another rule", "one of its own"],
)
def test_what_is_to_be_mended_apart_is_told_apart(other: Any) -> None:
    assert len(told_once([diagnosis(HERE), other])) == 2


def test_a_line_that_is_twice_on_a_stack_has_its_share_once(tmp_path: Path) -> None:
    # A comprehension is a function of its own before Python 3.12.
    path = script(tmp_path)
    samples = (
        Samples(str(path), HOT, "<listcomp>", 250, 250, 250),
        Samples(str(path), HOT, "train", 250, 0, 0),
    )
    trace = trace_of(path, samples=samples, stacks=(Stack((0, 1), 250),))
    assert share_of(trace, str(path), HOT) == 0.5
