"""What a TensorFlow training does beside its steps: in the loop of steps, in callbacks, and by
running eagerly what Keras would compile."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.made import script, trace_of
from tests.dynamic.watched import marked, needs, report_on, told_by

from deepperf.dynamic.recording.trace import Observation, Samples
from deepperf.dynamic.signals import step_chores

needs("tensorflow")

LOOPS = """\
import numpy as np
import tensorflow as tf

net = tf.keras.Sequential([tf.keras.layers.Input((8,)), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.01)
rows = np.random.default_rng(0).random((64, 8)).astype("float32")
held = tf.constant(np.random.default_rng(1).random((64, 8)).astype("float32"))


@tf.function
def step(batch):
    with tf.GradientTape() as tape:
        answers = net(batch)
        loss = tf.reduce_mean(answers**2)
    weights = net.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
    return loss, answers


def how_good_on(batches):
    return sum(float(tf.reduce_mean(net(batch) ** 2)) for batch in batches)


def measuring(steps):
    seen = []
    for _ in range(steps):
        loss, answers = step(tf.constant(rows))
        seen.append(tf.tile(answers, (256, 1)))
        spread = tf.math.reduce_std(tf.concat(seen, axis=0))  # gathered
    return spread


def watching(steps):
    for _ in range(steps):
        step(tf.constant(rows))
        how_good_on([held + number for number in range(20)])  # evaluated


def careful(epochs):
    for epoch in range(epochs):
        for _ in range(50):
            loss, _ = step(tf.constant(rows))
        print(epoch, float(loss), how_good_on([held] * 4))


{run}
"""
MEASURING = LOOPS.replace("{run}", "measuring(150)")
WATCHING = LOOPS.replace("{run}", "watching(60)\ncareful(4)")

WRITING = """\
import keras
import numpy as np


class Weights(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        self.model.save_weights("now.weights.h5")  # for each batch


rows = np.random.default_rng(0).random((4000, 6)).astype("float32")
model = keras.Sequential([keras.layers.Input((6,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(rows, rows[:, :1], batch_size=10, verbose=0, callbacks=[Weights()])
"""

FITS = """\
import time

import keras
import numpy as np


class Doubled(keras.Model):
    def train_step(self, data):
        logs = super().train_step(data)
        return {name: 2 * float(value) for name, value in logs.items()}


class Losses(keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.losses = []

    def on_train_batch_end(self, batch, logs=None):
        self.losses.append(logs["loss"])

    def on_epoch_end(self, epoch, logs=None):
        time.sleep(0.3)


def trained(kind, eagerly):
    given = keras.Input((6,))
    model = kind(given, keras.layers.Dense(1)(keras.layers.Dense(16, "relu")(given)))
    model.compile("adam", "mse", run_eagerly=eagerly)
    watches = [Losses()]
    return model.fit(rows, rows[:, :1], batch_size=8, verbose=0, callbacks=watches)  # fitted


rows = np.random.default_rng(0).random((640, 6)).astype("float32")
{run}
"""
EAGER = FITS.replace("{run}", "trained(keras.Model, True)")
QUIET = FITS.replace("{run}", "trained(Doubled, True)\ntrained(keras.Model, False)")


@pytest.mark.watched
@pytest.mark.parametrize(
    ("program", "mark", "signal", "message"),
    [
        (
            MEASURING,
            "gathered",
            "step-chores",
            "every step computes again over everything collected so far",
        ),
        (
            WATCHING,
            "evaluated",
            "step-evaluation",
            "the model goes through the same data after each training step",
        ),
    ],
)
def test_what_a_loop_of_compiled_steps_does_beside_them_is_found(
    tmp_path: Path, program: str, mark: str, signal: str, message: str
) -> None:
    (found,) = told_by(report_on(tmp_path, program), signal)
    assert [found["line"]] == marked(program, mark)
    assert found["message"] == message


@pytest.mark.watched
def test_a_callback_that_works_long_after_each_batch_is_found(tmp_path: Path) -> None:
    (found,) = told_by(report_on(tmp_path, WRITING), "step-chores")
    assert [found["line"]] == marked(WRITING, "for each batch")
    assert found["message"] == "a checkpoint is written within the training steps"
    assert found["share"] > 0.3


@pytest.mark.watched
def test_a_training_that_is_told_not_to_compile_is_found(tmp_path: Path) -> None:
    (found,) = told_by(report_on(tmp_path, EAGER), "eager-ops")
    assert [found["line"]] == marked(EAGER, "fitted")
    assert found["message"].startswith("`fit` runs its steps eagerly")
    assert (found["rule"], found["weight"]) == ("eager-loop", "time")
    assert found["share"] > 0.1


@pytest.mark.watched
def test_a_training_that_needs_python_or_keeps_numbers_is_no_finding(tmp_path: Path) -> None:
    report = report_on(tmp_path, QUIET)
    assert told_by(report, "step-chores") == []
    assert {item["weight"] for item in told_by(report, "eager-ops")} <= {"hint"}


REPORTING = """\
class Report(keras.callbacks.Callback):
    def score(self):
        return self.model.predict(self.rows)

    def on_train_batch_end(self, batch, logs=None):
        self.scores.append(self.score())
"""


@pytest.mark.parametrize(("kind", "lines"), [("step-evaluation", []), ("something else", [6])])
def test_a_callback_is_not_told_again_where_what_it_asks_is(
    tmp_path: Path, kind: str, lines: list[int]
) -> None:
    path = script(tmp_path, REPORTING)
    samples = (
        Samples(str(path), 3, "score", 390, 390, 0),
        Samples(str(path), 6, "on_train_batch_end", 400, 10, 0),
    )
    seen = Observation(kind=kind, file=str(path), line=3, function="score", count=199)
    found = step_chores.diagnose(trace_of(path, observations=(seen,), samples=samples))
    assert [item.line for item in found] == lines


CURVE = """\
class Curve:
    def __init__(self):
        self.answers = []

    def spread_with(self, answers):
        self.answers.append(answers)
        {emptied}
        return np.std(np.concatenate(self.answers))  # kept


def train(batches):
    curve = Curve()
    for batch in batches:
        answers = step(batch)  # steps
        spread = curve.spread_with(answers)
"""


@pytest.mark.parametrize(("emptied", "times"), [("", 1), ("self.answers.pop(0)", 0)])
def test_what_an_object_gathers_and_goes_through_at_each_step_is_found(
    tmp_path: Path, emptied: str, times: int
) -> None:
    text = CURVE.replace("{emptied}", emptied)
    path = script(tmp_path, text)
    ((kept,), (steps,)) = marked(text, "kept"), marked(text, "steps")
    detail = {"by": "tensorflow", "device": "cpu", "ways": [[[str(path), steps]]]}
    seen = Observation("step-chores", str(path), steps, "train", 199, detail=detail)
    samples = (Samples(str(path), kept, "spread_with", 200, 200, 0),)
    found = step_chores.diagnose(trace_of(path, observations=(seen,), samples=samples))
    assert [item.line for item in found] == [kept] * times
