"""Switches of JAX that were left on are told from those that were on for a moment."""

from __future__ import annotations

from pathlib import Path

from tests.dynamic.watched import diagnoses, marked, needs

needs("jax")

PROGRAM = """\
import jax
import jax.numpy as jnp

jax.config.update("jax_debug_nans", True)  # on


@jax.jit
def step(x):
    return jnp.tanh(x) * 0.9


x = jnp.ones((64,))
jax.config.update("jax_disable_jit", True)
x = step(x)
jax.config.update("jax_disable_jit", False)
for _ in range(200):
    x = step(x)
print(float(x.sum()))
"""


def test_checks_for_nans_that_stay_on_are_told(tmp_path: Path) -> None:
    (found,) = diagnoses(tmp_path, PROGRAM, "jax-debugging")
    assert [found["line"]] == marked(PROGRAM, "on")
    assert "searched for NaNs" in found["message"]
