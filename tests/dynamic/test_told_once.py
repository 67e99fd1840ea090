"""What costs time at one line for one kind of reason is one finding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.dynamic.made import diagnosis

from deepperf.dynamic.diagnosis import Weight, told_once

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
