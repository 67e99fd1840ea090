"""Functions that JAX or torch.compile compile again are told from those that are compiled once."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.made import script, trace_of
from tests.dynamic.watched import diagnoses, lines_of, marked, needs

from deepperf.dynamic.recording.trace import Observation
from deepperf.dynamic.signals.recompilation import BREAK, TORCH, diagnose, is_end_of

OF_JAX = """\
import functools

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def total(x):
    return (x * 2.0).sum()


@functools.partial(jax.jit, static_argnums=1)
def power(x, n):
    return x**n


@jax.jit
def steady(x, n):
    return x - n


@jax.jit
def read(weights, text):
    return sum(matrix.sum() for matrix in weights) * text.sum()


for n in range(1, 8):
    total(jnp.ones(n))  # shapes
weights = [np.ones((side, side)) for side in range(20, 50)]
for n in range(1, 8):
    read(weights, jnp.ones(n))  # longer
x = jnp.ones(4)
for n in range(1, 8):
    power(x, n)  # static
for n in range(1, 8):
    steady(x, n)
"""

FIRST_WEIGHTS = """\
import jax
import jax.numpy as jnp

sizes = (3, 5, 7, 9, 11, 13, 15, 17)
weights = [
    (jax.random.normal(jax.random.key(rows), (rows, columns)), jnp.zeros(columns))
    for rows, columns in zip(sizes, sizes[1:])
]
print(sum(float(matrix.sum()) for matrix, bias in weights))
"""

OF_TORCH = """\
import torch


def scaled(x, mode):  # again
    return x * 2.0 if mode == "a" else x + len(mode)


def once(x):
    return x + 1.0


def broken(x):
    y = x * 2.0
    print("in between")  # break
    return y + 1.0


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = 0

    def forward(self, x):
        self.seen += 1  # again
        return x * self.seen


class Whole(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Counting()

    def forward(self, x):
        return self.part(x) + 1.0


for model in (torch.nn.Sequential(Counting()), Whole()):
    counting = torch.compile(model, backend="eager")
    for _ in range(6):
        counting(torch.ones(3))
compiled = torch.compile(scaled, backend="eager")
for mode in ("a", "b", "cc", "ddd"):
    compiled(torch.ones(3), mode)
steady = torch.compile(once, backend="eager")
for _ in range(5):
    steady(torch.ones(3))
torch.compile(broken, backend="eager")(torch.ones(3))
"""


@pytest.mark.watched
def test_what_jax_compiles_again_is_found(tmp_path: Path) -> None:
    needs("jax")
    found = diagnoses(tmp_path, OF_JAX, "recompilation")
    told = {item["line"]: item["message"] for item in found if "`ones`" not in item["message"]}
    (by_shape,), (by_value,) = marked(OF_JAX, "shapes"), marked(OF_JAX, "static")
    (longer,) = marked(OF_JAX, "longer")
    assert told.pop(longer) == "`read` is compiled again for each new shape"
    assert told[by_shape] == "`total` is compiled again for each new shape"
    assert told[by_value] == "`power` is compiled again for each new value of its static `n`"
    assert sorted(told) == [by_shape, by_value]


@pytest.mark.watched
def test_what_torch_compiles_again_or_in_pieces_is_found(tmp_path: Path) -> None:
    needs("torch")
    found = diagnoses(tmp_path, OF_TORCH, "recompilation")
    assert lines_of(found, "retracing") == marked(OF_TORCH, "again")
    assert lines_of(found, "") == marked(OF_TORCH, "break")


@pytest.mark.parametrize("base", ["/opt/env/site-packages", "/data/one/env", "/data/one/work"])
def test_paths_that_torch_shortens_are_known_wherever_torch_lies(base: str) -> None:
    shortened = pytest.importorskip("torch.utils._traceback").shorten_filename
    told = shortened("/data/one/work/train.py", base=base)
    assert is_end_of("/data/one/work/train.py", told)
    assert not is_end_of("/data/one/work/pretrain.py", told)
    assert not is_end_of("/data/one/work/models/model.py", told)


@pytest.mark.watched
def test_first_weights_of_many_shapes_are_no_recompilation(tmp_path: Path) -> None:
    needs("jax")
    assert diagnoses(tmp_path, FIRST_WEIGHTS, "recompilation") == []


UNROLLED = """\
import jax
import jax.numpy as jnp


def cell(weights, state, row):
    return jnp.tanh(state @ weights + row)


@jax.jit
def rolled(weights, rows):
    state = jnp.zeros(4)
    for turn in range(60):  # unrolled
        state = cell(weights, state, rows[turn])
        state = state - cell(weights, row=rows[turn], state=jnp.sin(state))
    return state.sum()


@jax.jit
def deep(weights, row):
    for layer in range(12):
        row = cell(weights, row, row)
        row = row * row.max() * row.min() - row * row.mean() * row.std()
        for name in ("a", "b"):
            row = cell(weights, jnp.cos(row), row) + row.mean()
    return row.sum()


@jax.jit
def scanned(weights, rows):
    state, _ = jax.lax.scan(lambda s, row: (cell(weights, s, row), None), jnp.zeros(4), rows)
    return state.sum()


weights, rows = jnp.ones((4, 4)), jnp.ones((60, 4))
jax.grad(rolled)(weights, rows)
jax.grad(deep)(weights, rows[0])
jax.grad(scanned)(weights, rows)
"""


@pytest.mark.watched
def test_a_loop_that_jax_unrolls_is_found(tmp_path: Path) -> None:
    needs("jax")
    found = diagnoses(tmp_path, UNROLLED, "unrolled-jax")
    assert [item["line"] for item in found] == marked(UNROLLED, "unrolled")
    assert found[0]["share"] > 0.1


MADE_ANEW = """\
import functools

import jax
import jax.numpy as jnp


def nearest(points, goal):
    @jax.jit  # function
    def distance(point):
        return jnp.abs(point - goal).max()

    return distance(points)


def searched(points, goals):
    found = []
    for goal in goals:
        score = jax.jit(lambda point: ((point - goal) ** 2).sum())  # loop
        found.append(score(points))
    return found


def moved(point, by):
    return point + by


def walked(points, goals):
    for goal in goals:
        step = jax.jit(functools.partial(moved, by=goal))  # turns
        for turn in range(3):
            points = step(points)
    return points


@jax.jit
def once(point, goal):
    return ((point - goal) ** 2).sum()


def near(points, goal):
    score = jax.jit(lambda point: jnp.sqrt((point - goal) ** 2).max())  # before a loop
    total = 0.0
    for turn in range(2):
        total += float(score(points))
    return total


def raised(points, most):
    power = jax.jit(lambda point, n: (point**n).min(), static_argnums=1)
    total = 0.0
    for n in range(most):
        total += power(points, n)
    return total


points = jnp.ones(5)
searched(points, range(9))
walked(points, range(9))
raised(points, 9)
for goal in range(9):
    near(points, goal)
    nearest(points, goal)
    once(points, float(goal))
"""


@pytest.mark.watched
def test_what_is_compiled_for_each_call_is_told_where_it_is_made(tmp_path: Path) -> None:
    needs("jax")
    found = diagnoses(tmp_path, MADE_ANEW, "recompilation")
    told = lines_of(found, "compiled-per-call")
    (loop,), (function,) = marked(MADE_ANEW, "loop"), marked(MADE_ANEW, "function")
    # A function begins at its own line, whatever stands above it.
    before = marked(MADE_ANEW, "before a loop")
    assert told == sorted([function + 1, loop, *marked(MADE_ANEW, "turns"), *before])
    again = lines_of(found, "retracing")
    assert [MADE_ANEW.splitlines()[line - 1].strip() for line in again] == [
        "total += power(points, n)"
    ]


GROWS = """\
def train(batches):
    losses = jnp.zeros((0,))
    for batch in batches:
        losses = jnp.concatenate([losses, step(batch, 2)[None]])
    return losses
"""


def test_what_is_compiled_for_each_length_of_a_growing_array_is_told_as_that(
    tmp_path: Path,
) -> None:
    path = script(tmp_path, GROWS)
    lengths = [f"float32[{n}], float32[1]" for n in range(9)]
    joined = {"count": 9, "seconds": 0.9, "library": True, "told": 9, "shapes": lengths}
    static = {"static": {"n": [str(n) for n in range(9)]}, "library": False, "shapes": lengths[:2]}
    functions = {"concatenate": joined, "step": {**joined, **static}}
    seen = Observation("recompilation jax", str(path), 4, "train", detail={"functions": functions})
    grown, by_value = diagnose(trace_of(path, observations=(seen,)))
    assert (grown.rule, grown.line) == ("growing-array", 4)
    assert by_value.evidence.endswith("9 had another value, and arrays came in 2 kinds of shapes")


def test_where_pytorch_gives_up_is_told(tmp_path: Path) -> None:
    path = str(script(tmp_path))
    again = {"reasons": ["tensor 'x' size mismatch"]}
    given_up, kept, broken = (
        Observation(TORCH, path, 7, "train", 8, 0.5, detail={**again, "limit": True}),
        Observation(TORCH, path, 15, "never", 4, 0.5, detail=again),
        Observation(BREAK, path, 10, "train", 8, detail={"reason": "print"}),
    )
    trace = trace_of(Path(path), observations=(given_up, kept, broken))
    told = {one.line: one for one in diagnose(trace)}
    assert told[7].message.endswith("repeatedly, until PyTorch gives up and runs it eagerly")
    assert told[15].message.endswith("repeatedly")
    assert told[10].evidence == "in 8 compilations: print"
