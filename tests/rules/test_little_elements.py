"""Loops over elements are notes: readers found few of them worth a change."""

from __future__ import annotations

import pytest

from deepperf import check_text
from deepperf.config.options import Options
from deepperf.records import Level

TOLD = """
import torch

lengths = torch.randint(1, 90, ({count},))
longest = torch.zeros({count})
for i in range({count}):
    longest[i] = lengths[i] * 2
"""
DRAWN = """
import jax
from jax import numpy as jnp


def shifts(key):
    return jnp.stack([jax.random.normal(one) for one in jax.random.split(key, {count})])
"""


@pytest.mark.parametrize(("rule", "text"), [("looped-update", TOLD), ("looped-draw", DRAWN)])
def test_elements_are_a_note_however_many_there_are(rule: str, text: str) -> None:
    options = Options(select=(rule,), level=Level.NOTE)
    counts = ("1", "300", "60_000")
    found = [check_text(text.format(count=count), options=options).findings for count in counts]
    assert [[one.level for one in some] for some in found] == [[], [Level.NOTE], [Level.NOTE]]


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
