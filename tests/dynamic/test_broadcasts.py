"""A broadcast that is only passed on to reductions is told from one that is a result."""

from __future__ import annotations

from pathlib import Path

from tests.dynamic.watched import marked

from deepperf.dynamic.program.broadcasts import is_reduced_after

PROGRAM = """\
def nearest(points, centres):
    difference = points[:, None, :] - centres[None, :, :]  # reduced
    squares = difference**2  # reduced
    return tf.argmin(tf.reduce_sum(squares, axis=-1), axis=1)


def widths(rows, others):
    apart = rows[:, None] - others[None]  # reduced
    return apart.max(axis=1), abs(apart).mean()


def kernel(rows, solve):
    apart = rows[:, None] - rows[None]  # a result
    table = np.exp(-(apart**2))  # a result
    return solve(table) + table.sum()


def table(rows):
    apart = rows[:, None] - rows[None]  # a result
    return apart


def unused(rows):
    apart = rows[:, None] - rows[None]  # a result
"""


def test_what_is_only_reduced_is_told_from_a_result(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    reduced = [
        n for n, line in enumerate(PROGRAM.splitlines(), 1) if is_reduced_after(str(path), n)
    ]
    assert reduced == marked(PROGRAM, "reduced")
