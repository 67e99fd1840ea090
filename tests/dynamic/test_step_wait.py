"""Waiting for JAX in each turn is noted where other work waits behind it, and nothing needs it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, marked, needs

needs("jax")

SETUP = """\
import time

import jax
import jax.numpy as jnp
import numpy as np

random = np.random.default_rng(0)


def prepared():
    return np.sort(random.standard_normal((3000, 512)), axis=1)[:400].astype("float32")


@jax.jit
def step(weights, rows):
    def loss_of(weights):
        made = rows
        for _ in range(4):
            made = jnp.tanh(made @ weights)
        return (made**2).mean()

    loss, gradients = jax.value_and_grad(loss_of)(weights)
    return weights - 0.01 * gradients, loss


weights = jnp.eye(512)
rows = prepared()
"""

LOOP = (
    SETUP
    + """\
losses = []
for number in range(60):
    rows = prepared()
    weights, loss = step(weights, rows)
    {waits}  # waits
"""
)

ORDINARY = (
    SETUP
    + """\
# Nothing else is to be done.
losses = []
for number in range(60):
    weights, loss = step(weights, rows)
    losses.append(float(loss))

# What is kept is waited for at the end.
for number in range(60):
    rows = prepared()
    weights, loss = step(weights, rows)
    losses.append(loss)
    if number % 50 == 0:
        print(float(loss))

# The turn goes on by it.
best = 1e9
for number in range(60):
    rows = prepared()
    weights, loss = step(weights, rows)
    loss = float(loss)
    if loss < best:
        best = loss

# Somebody measures.
for number in range(60):
    rows = prepared()
    begin = time.perf_counter()
    weights, loss = step(weights, rows)
    loss.block_until_ready()
    losses.append(time.perf_counter() - begin)
"""
)


@pytest.mark.watched
@pytest.mark.parametrize("waits", ["losses.append(float(loss))", "weights.block_until_ready()"])
def test_waiting_that_other_work_stands_behind_is_noted(waits: str, tmp_path: Path) -> None:
    program = LOOP.format(waits=waits)
    found = diagnoses(tmp_path, program, "step-wait")
    assert [item["line"] for item in found] == marked(program, "waits")
    assert {item["weight"] for item in found} == {"hint"}


@pytest.mark.watched
def test_waiting_that_is_needed_or_holds_nothing_up_is_not(tmp_path: Path) -> None:
    assert diagnoses(tmp_path, ORDINARY, "step-wait") == []
