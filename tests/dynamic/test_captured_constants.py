"""Arrays that JAX compiles into a function are told from those that it is given."""

from __future__ import annotations

from pathlib import Path

from tests.dynamic.watched import diagnoses, marked, needs

needs("jax")

PROGRAM = """\
import jax
import jax.numpy as jnp
import numpy as np

TABLE = np.random.rand(3000, 3000).astype(np.float32)
SMALL = np.random.rand(30, 3000).astype(np.float32)


@jax.jit
def captured(x):
    return jnp.tanh(TABLE @ x)


@jax.jit
def given(table, x):
    return jnp.tanh(table @ x) + SMALL.sum()


x = jnp.ones((3000,))
table = jnp.asarray(TABLE)
for _ in range(20):
    x = captured(x)  # constant
    x = given(table, x)
print(float(x.sum()))
"""


def test_a_large_array_that_is_read_from_around_a_function_is_told(tmp_path: Path) -> None:
    (found,) = diagnoses(tmp_path, PROGRAM, "captured-constants")
    assert [found["line"]] == marked(PROGRAM, "constant")
    assert "3000 x 3000 of float32" in found["evidence"]
