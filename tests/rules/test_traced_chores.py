"""What Python does while a step is traced is no chore of each step; what the graph does is."""

from __future__ import annotations

import pytest

from deepperf import check_text
from deepperf.config.options import Options
from deepperf.records import Level

STEP = """
import tensorflow as tf


def make_step(model, optimizer):
    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(x))
        {}
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    return step


def train(model, batches):
    step = make_step(model, tf.keras.optimizers.Adam())
    for x in batches:
        step(x)
"""


def chores(text: str) -> list[str]:
    found = check_text(text, Options(level=Level.NOTE))
    return [one.message for one in found.findings if one.rule == "chore-per-step"]


@pytest.mark.parametrize("line", ['print("tracing", x.shape)', "print(loss)"])
def test_what_python_prints_of_a_traced_step_is_printed_once(line: str) -> None:
    assert chores(STEP.format(line)) == []


def test_what_the_graph_prints_is_printed_in_each_step() -> None:
    assert chores(STEP.format("tf.print(loss)")) == ["`step` prints in each training step"]


def test_what_python_prints_of_a_step_that_runs_eagerly_is_printed_in_each() -> None:
    eager = STEP.format("print(loss)").replace("    @tf.function\n", "")
    assert chores(eager) == ["`step` prints in each training step"]
