"""The time of a check grows with the program, not with its square."""

from __future__ import annotations

import time

from deepperf import check_text

HEAD = """\
import jax
import keras
import numpy as np
import tensorflow as tf
import torch

network = torch.nn.Sequential(torch.nn.Linear(8, 8))
model = keras.models.load_model("model.keras")


@tf.function
def step(x):
    return tf.reduce_sum(x)


def explore(x, table):
    rows = []
"""
STEP = """\
    y{n} = model(x[None])
    z{n} = np.asarray(y{n}[0]) + float(step(x))
    table[{n}] = z{n}.mean() + tf.reduce_sum(y{n}).numpy()
    with torch.no_grad():
        w{n} = network(torch.tensor(z{n}).unsqueeze(0))
    rows.append(jax.jit(lambda v: v + 1)(w{n}))
    if rows[-1] > {n}:
        x = x + np.sqrt(table[0])
"""
BRANCHING = """\
import tensorflow as tf


def load(paths, flags):
    data = tf.data.Dataset.from_tensor_slices(paths)
"""
BRANCH = """\
    if flags[{n}]:
        data = data.map(lambda x: tf.cast(x, tf.float32) * {n})
"""
MOST = 9
"""Times as long that a function four times as long may take: if every line were looked at for
every line it would be sixteen, and a busy machine doubles some."""


def test_a_function_four_times_as_long_takes_about_four_times_as_long() -> None:
    seconds_for(function(10))
    short = min(seconds_for(function(25)) for _ in range(3))
    assert seconds_for(function(100)) < MOST * short


def test_the_branches_of_a_pipeline_are_not_multiplied_with_each_other() -> None:
    short = min(seconds_for(pipeline(7)) for _ in range(3))
    # Each branch may follow each before it: that much is the square.
    assert seconds_for(pipeline(28)) < 4 * MOST * short


def function(steps: int) -> str:
    return HEAD + "".join(STEP.format(n=n) for n in range(steps)) + "    return rows\n"


def pipeline(branches: int) -> str:
    steps = "".join(BRANCH.format(n=n) for n in range(branches))
    return f"{BRANCHING}{steps}    return data.batch(32)\n"


def seconds_for(text: str) -> float:
    """CPU seconds for one check of a text."""
    began = time.process_time()
    check_text(text)
    return time.process_time() - began
