"""Loops over tiny JAX operations are found; compiled steps and large operations are not."""

from __future__ import annotations

from pathlib import Path

from tests.dynamic.watched import diagnoses, marked, needs

needs("jax")

SETUP = """\
import jax
import jax.numpy as jnp

weights = jnp.eye(64)


def turn(state):
    for _ in range(5):
        state = jnp.tanh(weights @ state) * 0.5 + state[0]
    return state


"""

EAGER = (
    SETUP
    + """\
state = jnp.arange(64.0)
total = 0.0
for number in range(5000):  # loop
    state = jnp.tanh(weights @ state) * 0.5 + state[0]
    state = state - jnp.mean(state)
    total += float(state[number % 64])
"""
)

COMPILED = (
    SETUP
    + """\
step = jax.jit(lambda state: (turn(state), state[0]))
state = jnp.arange(64.0)
total = 0.0
for number in range(3000):
    state, first = step(state)
    total += float(first)
large = jnp.ones((1000, 1000))
for number in range(20):
    large = jnp.tanh(large @ large / 1000.0)
sum_of_squares = jax.jit(lambda values: jnp.square(values @ values).sum())
for number in range(20):
    # What is waited for is computing, not sending off.
    total += float(sum_of_squares(large))
print(total, float(large.sum()))
"""
)


def test_a_loop_that_sends_off_tiny_operations_is_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, EAGER, "jax-dispatch")
    assert [item["line"] for item in found] == marked(EAGER, "loop")
    assert found[0]["rule"] == "eager-loop"
    assert found[0]["share"] > 0.1


def test_compiled_steps_and_large_operations_are_no_finding(tmp_path: Path) -> None:
    assert diagnoses(tmp_path, COMPILED, "jax-dispatch") == []
