"""Loops over elements are warnings where their iterations add up, else notes."""

from __future__ import annotations

import pytest

from deepperf import check_text
from deepperf.config.options import Options
from deepperf.records import Level

CHOSEN = """
import numpy as np


def softened(values, limit):
    found = np.zeros(len(values))
    for i in range(len(values)):
        found[i] = limit if values[i] > limit else values[i] ** 2
    return found


def main():
    return softened(np.random.rand({count}), 0.5)
"""
CHOSEN_ONCE_MORE = """
import numpy as np


def softened(grid: np.ndarray, limit):
    found = np.zeros(grid.shape)
    {header}
        if grid[{place}] > limit:
            found[{place}] = limit
        else:
            found[{place}] = grid[{place}] ** 2
    return found
"""
DRAWN = """
import numpy as np

shifts = np.array([np.random.normal(0.0, 0.1) for _ in range({count})])
"""
DRAWN_BY_A_FRAMEWORK = """
import tensorflow as tf


def shifts({given}):
    return tf.stack([tf.random.normal([], 0.0, limit) for limit in limits])
"""
TOLD = """
import torch

lengths = torch.randint(1, 90, ({count},))
longest = torch.zeros({count})
for i in range({count}):
    longest[i] = lengths[i] * 2
"""


@pytest.mark.parametrize(
    ("rule", "text", "little", "much"),
    [
        pytest.param(
            "looped-branch", CHOSEN, {"count": "50"}, {"count": "60_000"}, id="a long array"
        ),
        pytest.param(
            "looped-branch",
            CHOSEN_ONCE_MORE,
            {"header": "for y in range(grid.shape[0]):", "place": "y"},
            {"header": "for y, x in np.ndindex(grid.shape):", "place": "y, x"},
            id="a number of its own for each place",
        ),
        pytest.param(
            "looped-draw", DRAWN, {"count": "1_000"}, {"count": "200_000"}, id="numbers of NumPy"
        ),
        pytest.param(
            "looped-draw",
            DRAWN_BY_A_FRAMEWORK,
            {"given": "limits"},
            {"given": "limits: tf.Tensor"},
            id="rows of a tensor",
        ),
        pytest.param(
            "looped-update", TOLD, {"count": "300"}, {"count": "600"}, id="a known trip count"
        ),
    ],
)
def test_iterations_that_do_not_add_up_are_a_note(
    rule: str, text: str, little: dict[str, str], much: dict[str, str]
) -> None:
    options = Options(select=(rule,), level=Level.NOTE)
    least = [f.level for f in check_text(text.format(**little), options=options).findings]
    most = [f.level for f in check_text(text.format(**much), options=options).findings]
    assert (least, most) == ([Level.NOTE], [Level.WARNING])


def test_a_row_that_is_made_and_kept_is_not_filled_place_by_place() -> None:
    text = """
import torch


def scattered(places, features, size):
    found = []
    for k in range(size):
        one = torch.zeros(64, 100)
        one[:, places[k]] = features[k]
        found.append(one)
    return torch.stack(found, 0)
"""
    assert check_text(text, options=Options(select=("looped-update",))).findings == ()


RESHAPED = """
import torch


def flattened(masks):
    if isinstance(masks, torch.Tensor) and masks.ndim == 3:
        masks = masks.reshape(-1, masks.shape[-1])
    elif masks is not None{said}:
        for i in range(len(masks)):
            masks[i] = masks[i].reshape(-1)
    return masks
"""
COUNTED_BACK = """
import tensorflow as tf


def positive(x, axes):
    shape = x.get_shape().as_list()
    if len(shape) > 1{said}:
        axes = [axis if axis >= 0 else axis + len(shape) for axis in axes]
    axes = tf.convert_to_tensor(axes, dtype=tf.int32)
    return axes, axes.shape
"""


@pytest.mark.parametrize(
    ("rule", "text", "told"),
    [
        ("looped-update", RESHAPED, "masks, list"),
        ("looped-branch", COUNTED_BACK, "axes, (list, tuple)"),
    ],
)
def test_what_a_test_says_to_be_a_list_is_no_array(rule: str, text: str, told: str) -> None:
    options = Options(select=(rule,), level=Level.NOTE)
    counts = [
        len(check_text(text.format(said=said), options=options).findings)
        for said in ("", f" and isinstance({told})")
    ]
    assert counts == [1, 0]
