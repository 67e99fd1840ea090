"""Functions that JAX and TensorFlow compile, and what they give."""

from __future__ import annotations

import pytest
from tests.semantics.second.written import loops, probed

from deepperf.semantics.device.traced import output_of

START = """\
from functools import partial

import jax
import tensorflow as tf
import torch


def step(x):
    return x, {"loss": x}


compiled = jax.jit(step)


@partial(jax.jit, static_argnums=0)
def decorated(n, x):
    return x


@tf.function
def graph(x):
    return x


def make():
    @jax.jit
    def inner(x):
        return x

    return inner


made = make()
eager = torch.compile(step)
"""
OUTPUTS = {
    "probe(compiled(1))": "jax",
    "state, metrics = compiled(1)\nprobe(metrics['loss'])": "jax",
    "probe(decorated(3, 1).mean)": "jax",
    "probe(graph(1))": "tensorflow",
    "probe(made(1)[0])": "jax",
    "def run(f):\n    probe(f(1))\nrun(compiled)": "jax",
    "class A:\n    def __init__(self):\n        self.f = jax.jit(step)\n"
    "    def run(self):\n        probe(self.f(1))": "jax",
    "probe(jax.tree.map(abs, compiled(1)))": "jax",
    "probe(step(1))": "",
    "probe(eager(1))": "",
    "probe(unknown(1))": "",
}


@pytest.mark.parametrize("code", OUTPUTS)
def test_what_a_compiled_function_gives_is_known_by_its_framework(code: str) -> None:
    (value,) = probed(START + code)
    assert output_of(value.program, value.place) == OUTPUTS[code]


def test_a_line_that_is_only_traced_waits_for_nothing() -> None:
    inner, outer = loops(
        START
        + "def body(xs):\n    for x in xs:\n        print(compiled(x))\n"
        + "@jax.jit\ndef whole(xs):\n    return body(xs)\n"
        + "def plain(xs):\n    for x in xs:\n        print(compiled(x))\n"
    )
    assert (len(inner.waits), len(outer.waits)) == (0, 1)
