"""No valid program makes a rule crash, however little sense it makes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.properties.specimens import MORE

from deepperf.dev.fuzz import crashes_of, everything
from deepperf.dev.tree_mutants import mutant, programs

ROOT = Path(__file__).parents[2]
TOGETHER = 100


@pytest.fixture(scope="module")
def sources() -> tuple[str, ...]:
    return programs(ROOT)


@pytest.mark.parametrize("part", range(5 * MORE))
def test_programs_with_changed_trees(sources: tuple[str, ...], part: int) -> None:
    selection = everything()

    for number in range(part * TOGETHER, (part + 1) * TOGETHER):
        text = mutant(sources, 0, number)
        assert not crashes_of(text, selection), text


def test_the_same_number_is_the_same_program(sources: tuple[str, ...]) -> None:
    assert mutant(sources, 1, 7) == mutant(sources, 1, 7) != mutant(sources, 2, 7)
