"""Work that is done again by whichever function a loop was told to call."""

from __future__ import annotations

import pytest
from tests.semantics.test_repetition import repeated

WAYS = """
def spread(points):
    return np.linalg.inv(points @ points.T)


def near(block, points):
    return block @ spread(points)


def far(block, points):
    return np.linalg.svd(points)[1] - block @ spread(points)


WAYS = {"near": near, "far": far}


def main(name, is_near, blocks, other):
    points = np.load("points.npy")
    {before}
    for block in blocks:
        print({called}(block, points))
"""


def of_choice(called: str, before: str = "pass") -> list[str]:
    return repeated(WAYS.replace("{called}", called).replace("{before}", before))


@pytest.mark.parametrize(
    ("called", "before"),
    [
        ("way", "way = WAYS[name]"),
        ("way", "way = near if is_near else far"),
        ("WAYS[name]", "pass"),
    ],
)
def test_what_several_functions_come_to_is_told_once(called: str, before: str) -> None:
    found = of_choice(called, before)
    assert "np.linalg.inv(points @ points.T)" in found
    assert len(found) == len(set(found))


def test_whichever_function_each_iteration_chooses_all_may_compute_the_same() -> None:
    assert of_choice("WAYS[block.name]") == ["np.linalg.inv(points @ points.T)"]


def test_a_function_of_others_may_be_chosen() -> None:
    assert of_choice("way", "way = near if is_near else np.dot") == []
