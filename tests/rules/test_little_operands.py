"""What a loop repeats for little, or on one number, counts less than the same on much."""

from __future__ import annotations

import pytest

from deepperf import check_text
from deepperf.config.options import Options
from deepperf.records import Level

DRAWN = """
from jax import random


def weights(key, parents):
    found = {{}}
    for parent in parents:
        weight = random.normal({given}) * 0.8 + 0.5
        found[parent] = weight
        print(parent, weight)
    return found
"""
INVERTED = """
import numpy as np


def placed(point, scale, turn):
    frame = np.eye({size})
    frame[0, 0] = scale
    return np.linalg.inv(frame) @ point


def all_placed(points, scale, turn):
    return np.array([placed(points[i], scale, turn) for i in range(len(points))])
"""
KEPT = """
import tensorflow as tf


class Motion:
    def __init__(self, sigma):
        self.spread = tf.eye({size}, dtype=tf.float64) * sigma**2

    def steps(self, count):
        found = []
        for step in range(count):
            noise = tf.random.normal(({size}, 1), dtype=tf.float64)
            found.append(tf.matmul(tf.linalg.cholesky(self.spread), noise).numpy())
        return found
"""
SET_UP = """
import numpy as np


class Basis:
    def __init__(self, rows, weights):
        self.rows, self.weights = rows, weights
        self.count = len(weights)
        {called}

    def fit(self):
        normal = self.rows @ self.rows.T
        found = []
        for number in range(self.count):
            found.append(np.linalg.inv(normal) @ (self.rows @ self.weights[number]))
        self.fitted = np.array(found)
"""
TRACED = """
import jax.numpy as jnp


def penalty(hessian, table, rows, count):
    total = 0.0
    for i in range(count):
        factor = jnp.trace(hessian[i::3, i::3]) / {whole}
        total += float(rows[i] @ table @ rows[i] * factor)
    return total
"""
MOVED = """
import jax


def moved(pieces, shardings):
    found = []
    for piece in pieces:
        move = jax.jit(lambda arrays: {made}, out_shardings=shardings[piece.name])
        found.append(move(piece.arrays))
        print(piece.name)
    return found
"""


def _weights(text: str, rule: str) -> list[tuple[Level, float]]:
    options = Options(select=(rule,), level=Level.NOTE)
    return [(found.level, found.estimate) for found in check_text(text, options=options).findings]


@pytest.mark.parametrize(
    ("rule", "text", "little", "much"),
    [
        pytest.param(
            "loop-invariant-op",
            DRAWN,
            {"given": "key"},
            {"given": "key, (512, 512)"},
            id="a number that is drawn",
        ),
        pytest.param(
            "loop-invariant-op", INVERTED, {"size": "3"}, {"size": "300"}, id="a frame of a space"
        ),
        pytest.param(
            "loop-invariant-op", KEPT, {"size": "4"}, {"size": "400"}, id="what an object keeps"
        ),
        pytest.param(
            "loop-invariant-op",
            SET_UP,
            {"called": "self.fit()"},
            {"called": "self.fitted = None"},
            id="what makes an object",
        ),
        pytest.param(
            "loop-invariant-op",
            TRACED,
            {"whole": "jnp.trace(table[-9:, -9:])"},
            {"whole": "jnp.linalg.det(table[-9:, -9:])"},
            id="a diagonal",
        ),
        pytest.param(
            "compiled-per-call",
            MOVED,
            {"made": "arrays"},
            {"made": "(arrays @ arrays.T).sum()"},
            id="arrays that go elsewhere",
        ),
    ],
)
def test_what_is_done_again_with_little_is_a_note_and_counts_less(
    rule: str, text: str, little: dict[str, str], much: dict[str, str]
) -> None:
    (least,) = _weights(text.format(**little), rule)
    assert least[0] is Level.NOTE
    assert least < max(_weights(text.format(**much), rule))


def test_a_choice_to_leave_things_as_they_are_is_compiled_with_the_other() -> None:
    text = """
import jax
import jax.numpy as jnp


def swapped(table, i, j):
    def swap(table):
        return table.at[i].set(table[j]).at[j].set(table[i])

    return jax.lax.cond(i == j, lambda same: same, swap, table)


def sorted_rows(table):
    for k in range(table.shape[0]):
        best = int(k + jnp.argmax(jnp.abs(table[k:, k])))
        table = swapped(table, k, best)
    return table
"""
    assert [level for level, _ in _weights(text, "compiled-per-call")] == [Level.WARNING]
