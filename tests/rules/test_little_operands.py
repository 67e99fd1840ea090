"""What a loop repeats for little, or on one number, counts less than the same on much."""

from __future__ import annotations

import pytest

from deepperf import check_text
from deepperf.config.options import Options
from deepperf.records import Level

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
