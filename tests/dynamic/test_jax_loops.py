"""Loops that send JAX's operations off one by one are told; compiled ones, and recurrences, not."""

from __future__ import annotations

from pathlib import Path

from tests.dynamic.watched import diagnoses, lines_of, marked, needs, report_on, told_by

needs("jax")

BAD = """\
import jax
import jax.numpy as jnp
import numpy as np


def brightest(tiles):
    peaks = []
    for tile in range(tiles.shape[0]):
        peaks.append(jnp.max(tiles[tile]))  # slices
    return jnp.stack(peaks)


def ticked(calendar, day):
    return calendar.at[day].add(1)  # updates


def visits(days):
    calendar = jnp.zeros(366, jnp.int32)
    for day in days:
        calendar = ticked(calendar, day)
    return calendar


def prices(catalogue, wanted):
    return [catalogue[number] for number in wanted]  # lookups


def cooled(bodies, air):
    return air + (bodies - air) * jnp.exp(-0.01)


def simulate(bodies, turns):
    for _ in range(turns):  # eager
        bodies = cooled(bodies, 20.0)
        bodies = jnp.where(bodies < 21.0, 90.0, bodies)
    return bodies


rng = np.random.default_rng(1)
brightest(jnp.asarray(rng.random((1500, 64))))
visits(rng.integers(0, 366, 400))
prices(jnp.asarray(rng.random((5000, 8))), rng.integers(0, 5000, 4000).tolist())
simulate(jnp.full(16, 80.0), 3000)
"""

GOOD = """\
import jax
import jax.numpy as jnp
import numpy as np


def cooled(bodies, air):
    return air + (bodies - air) * jnp.exp(-0.01)


@jax.jit
def simulate(bodies):
    def turn(_, bodies):
        bodies = cooled(bodies, 20.0)
        return jnp.where(bodies < 21.0, 90.0, bodies)

    return jax.lax.fori_loop(0, 400, turn, bodies)


@jax.jit
def step(weights, rows, wanted):
    def loss(weights):
        return jnp.mean((jnp.tanh(rows @ weights) - wanted) ** 2)

    error, slope = jax.value_and_grad(loss)(weights)
    return weights - 0.1 * slope, error


rng = np.random.default_rng(1)
tiles = jnp.asarray(rng.random((400, 64)))
peaks = jnp.max(tiles, axis=1)
calendar = jnp.zeros(366, jnp.int32).at[rng.integers(0, 366, 400)].add(1)
prices = jnp.asarray(rng.random((5000, 8)))[rng.integers(0, 5000, 500)]
simulate(jnp.full(16, 80.0))
weights = jnp.zeros(64)
losses = []
for turn in range(300):
    weights, error = step(weights, tiles, peaks)
    losses.append(error)
    if turn % 50 == 0:
        print(float(error), float(jnp.linalg.norm(weights)))
"""


def test_loops_over_eager_operations_are_found(tmp_path: Path) -> None:
    report = report_on(tmp_path, BAD)
    # What takes long is seen by samples, too, and told once.
    found = told_by(report, "jax-loops") + told_by(report, "jax-dispatch")
    assert lines_of(found, "per-slice-op") == marked(BAD, "slices")
    assert lines_of(found, "looped-update") == marked(BAD, "updates")
    assert lines_of(found, "looped-lookup") == marked(BAD, "lookups")
    assert lines_of(found, "eager-loop") == marked(BAD, "eager")


def test_what_is_compiled_or_done_at_once_is_not(tmp_path: Path) -> None:
    assert diagnoses(tmp_path, GOOD, "jax-loops") == []


SMALL = """\
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def distance(a, b):
    return jnp.sqrt(jnp.sum(jnp.min(jnp.abs(a[:, None] - b[None, :]), axis=1) ** 2))


@jax.jit
def turned(state, by):
    return 0.9 * state + jnp.tanh(by)


@jax.jit
def product(a, b):
    return jnp.sum(jnp.tanh(a @ b) @ a)


def table(curves):
    found = np.zeros((len(curves), len(curves)))
    for i in range(len(curves)):
        for j in range(i):
            found[i, j] = distance(curves[i], curves[j])  # mapped
    return found


def followed(state, turns):
    for turn in range(turns):
        state = turned(state, turn)  # carried
    return state


curves = np.random.default_rng(0).normal(size=(140, 24)).astype("float32")
followed(jnp.zeros(16), 9000)
table(curves)
total = 0.0
for batch in np.random.default_rng(1).normal(size=(1100, 96, 96)).astype("float32"):
    total += product(batch, batch)
print(float(total))
"""


def test_compiled_functions_that_are_called_for_next_to_nothing_are_found(tmp_path: Path) -> None:
    found = [item for item in diagnoses(tmp_path, SMALL, "jax-loops") if not item["rule"]]
    told = {item["line"]: item for item in found}
    (mapped,), (carried,) = marked(SMALL, "mapped"), marked(SMALL, "carried")
    assert told[mapped]["weight"] == "time"
    assert "`jax.vmap`" in told[mapped]["remedy"]
    # Somebody may need what is carried from turn to turn: a hint at most.
    assert {told[line]["weight"] for line in told if line != mapped} <= {"hint"}
    assert set(told) <= {mapped, carried}
