"""What is done around each step of a Keras training: setting it up, evaluating, or running it
eagerly. Each is told from what belongs there."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.made import HOT, script, trace_of
from tests.dynamic.watched import marked, needs, report_on, told_by

from deepperf.dynamic.diagnosis import Weight
from deepperf.dynamic.recording.trace import Observation
from deepperf.dynamic.signals import trainer_pauses

needs("tensorflow")

FITS = """\
import keras
import numpy as np

rows = np.random.default_rng(0).random((96, 6)).astype("float32")
totals = rows.sum(axis=1, keepdims=True)


def build():
    model = keras.Sequential([keras.layers.Input((6,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    return model


online = build()
for start in range(0, 96, 4):
    online.fit(rows[start : start + 4], totals[start : start + 4], verbose=0)  # fit per step

resumed = build()
for stage in range(17):
    resumed.fit(rows, totals, batch_size=16, initial_epoch=stage, epochs=stage + 1, verbose=0)
stepped = build()
for start in range(0, 96, 4):
    stepped.train_on_batch(rows[start : start + 4], totals[start : start + 4])
for rate in (0.1, 0.2, 0.3):
    build().fit(rows[:4], totals[:4], verbose=0)
"""

EVALUATIONS = """\
import keras
import numpy as np

rows = np.random.default_rng(0).random((2000, 6)).astype("float32")
totals = rows.sum(axis=1, keepdims=True)


class Curve(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        self.model.evaluate(rows, totals, batch_size=100, verbose=0)  # at each step


class Epochs(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        self.model.evaluate(rows, totals, batch_size=100, verbose=0)


model = keras.Sequential([keras.layers.Input((6,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(rows[:600], totals[:600], batch_size=10, verbose=0, callbacks=[Curve()])
model.fit(rows[:400], totals[:400], batch_size=20, epochs=12, verbose=0, callbacks=[Epochs()])
for start in range(0, 480, 32):
    answers = model.predict(rows[start : start + 40], verbose=0)
    model.train_on_batch(rows[start : start + 40], 0.9 * answers)
"""

REPLAYED = """\
import random
from collections import deque

import keras
import numpy as np


class Agent:
    def __init__(self):
        self.memory = deque(maxlen=200)
        inputs = keras.Input((4,))
        self.net = keras.Model(inputs, keras.layers.Dense(2)(inputs))
        self.net.compile("sgd", "mse")

    def replay(self, count):
        for state, action in random.sample(self.memory, count):
            wanted = self.net(state[None]).numpy()
            wanted[0, action] = 1.0
            self.net.fit(x=state[None], y=wanted, epochs=1, verbose=0)  # fit per step


agent = Agent()
chance = np.random.default_rng(1)
for turn in range(64):
    agent.memory.append((chance.random(4).astype("float32"), turn % 2))
for _ in range(4):
    agent.replay(10)
"""

CURVES = """\
import keras
import numpy as np
import tensorflow as tf

rows = np.random.default_rng(0).random((3000, 6)).astype("float32")
totals = rows.sum(axis=1, keepdims=True)
held_out = tf.data.Dataset.from_tensor_slices((rows[600:], totals[600:])).batch(60)


def build():
    model = keras.Sequential([keras.layers.Input((6,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    return model


class Experiment:
    def __init__(self):
        self.model = build()
        self.curve = []

    def train(self):
        for start in range(0, 600, 10):
            self.model.train_on_batch(rows[start : start + 10], totals[start : start + 10])
            self.report()

    def report(self):
        {ask}


Experiment().train()
"""
ASKS = (
    "self.curve.append(self.model.evaluate(held_out, verbose=0))  # at each step",
    "self.curve.append(self.model.predict(rows[600:], batch_size=60, verbose=0))  # at each step",
)

EAGER = """\
import keras
import numpy as np
import tensorflow as tf

rows = np.random.default_rng(0).random((320, 6)).astype("float32")
batches = tf.data.Dataset.from_tensor_slices((rows, rows[:, :1])).batch(4)


def build():
    layers = [keras.layers.Dense(16, "relu"), keras.layers.Dense(1)]
    return keras.Sequential([keras.layers.Input((6,)), *layers])


class Trainer:
    def __init__(self):
        self.model = build()
        self.optimizer = keras.optimizers.Adam()
        self.compiled = tf.function(self.step)

    def loss(self, inputs, wanted):
        return keras.losses.MeanSquaredError()(wanted, self.model(inputs, training=True))

    def step(self, inputs, wanted):
        with tf.GradientTape() as tape:
            loss = self.loss(inputs, wanted)
        weights = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return loss


{run}
"""
LOOSE = """
trainer = Trainer()
for epoch in range(8):
    for inputs, wanted in batches:  # eager
        trainer.step(inputs, wanted)
"""
COMPILED = """
trainer = Trainer()
for epoch in range(8):
    mean = keras.metrics.Mean()
    for inputs, wanted in batches:
        mean.update_state(trainer.compiled(inputs, wanted))
for inputs, wanted in batches:
    loss = trainer.compiled(inputs, wanted)
    mean.update_state(loss)
model = build()
model.compile("adam", "mse")
for _ in range(4):
    model.fit(rows, rows[:, :1], verbose=0, epochs=2)
model.save("kept.keras")
for _ in range(8):
    keras.models.load_model("kept.keras")
"""


PAUSES = """\
import keras
import numpy as np

rows = np.random.default_rng(0).random((6000, 6)).astype("float32")
totals = rows.sum(axis=1, keepdims=True)


def build(width):
    layers = [keras.layers.Dense(width), keras.layers.Dense(width), keras.layers.Dense(1)]
    model = keras.Sequential([keras.layers.Input((6,)), *layers])
    model.compile("sgd", "mse")
    return model


{fit}
"""
EVALUATES = """\
build(8).fit(  # pauses
    rows[:64], totals[:64], batch_size=16, epochs=12, verbose=0, validation_data=(rows, totals)
)
"""
SAVES = """\
saver = keras.callbacks.ModelCheckpoint("net.keras", save_freq=2)
build(1400).fit(rows[:640], totals[:640], batch_size=16, verbose=0, callbacks=[saver])  # pauses
"""


def test_fits_of_a_step_each_are_found(tmp_path: Path) -> None:
    (found,) = told_by(report_on(tmp_path, FITS), "fit-per-step")
    assert [found["line"]] == marked(FITS, "fit per step")
    assert found["message"] == "`fit` is called repeatedly, with one step each time"
    assert found["evidence"].startswith("23 calls took ")
    assert found["cause"] == "inefficient-api-usage"


def test_evaluations_at_each_step_are_found(tmp_path: Path) -> None:
    (found,) = told_by(report_on(tmp_path, EVALUATIONS), "step-evaluation")
    assert [found["line"]] == marked(EVALUATIONS, "at each step")
    assert found["message"] == "`evaluate` goes through the same data after each training step"
    assert found["cause"] == "inefficient-api-usage"


def test_fits_of_a_sample_each_are_found_in_a_method(tmp_path: Path) -> None:
    (found,) = told_by(report_on(tmp_path, REPLAYED), "fit-per-step")
    assert [found["line"]] == marked(REPLAYED, "fit per step")


@pytest.mark.parametrize("ask", ASKS, ids=("dataset", "slice"))
def test_models_asked_beside_batches_of_their_own_are_found(tmp_path: Path, ask: str) -> None:
    text = CURVES.format(ask=ask)
    (found,) = told_by(report_on(tmp_path, text), "step-evaluation")
    assert [found["line"]] == marked(text, "at each step")


@pytest.mark.watched
def test_training_steps_that_nothing_compiles_are_found_at_their_loop(tmp_path: Path) -> None:
    text = EAGER.format(run=LOOSE)
    report = report_on(tmp_path, text)
    found = [item for item in report["findings"] if item["rule"] == "eager-loop"]
    assert [item["line"] for item in found] == marked(text, "eager")
    assert found[0]["message"].startswith("training steps run eagerly")


@pytest.mark.watched
def test_compiled_training_steps_are_left_alone(tmp_path: Path) -> None:
    report = report_on(tmp_path, EAGER.format(run=COMPILED))
    assert told_by(report, "eager-ops") == []


@pytest.mark.watched
@pytest.mark.parametrize(
    ("fit", "message"),
    [
        (EVALUATES, "`fit` evaluates every 4 steps (`validation_freq`)"),
        (SAVES, "a callback writes a checkpoint every 2 steps (`save_freq`)"),
    ],
    ids=("evaluates", "saves"),
)
def test_fits_that_mostly_evaluate_or_save_are_found(
    tmp_path: Path, fit: str, message: str
) -> None:
    text = PAUSES.format(fit=fit)
    report = report_on(tmp_path, text)
    assert report["run"]["problems"] == []
    (found,) = told_by(report, "trainer-pauses")
    assert [found["line"]] == marked(text, "pauses")
    assert found["message"] == message


@pytest.mark.parametrize(
    ("option", "epochs", "seconds", "told"),
    [
        # As many samples to evaluate on as to train on.
        ("validation_freq", 400, 4.0, 0),
        ("validation_freq", 400, 6.0, 1),
        # A checkpoint of each epoch.
        ("save_freq", 400, 4.0, 0),
        ("save_freq", 400, 6.0, 1),
        ("save_freq", 1, 2.0, 1),
        ("save_freq", 1, 0.5, 0),
    ],
)
def test_what_belongs_to_an_epoch_may_take_longer(
    tmp_path: Path, option: str, epochs: int, seconds: float, told: int
) -> None:
    path = script(tmp_path)
    detail = {"steps": 400, "epochs": epochs}
    seen = Observation(
        f"trainer-pauses {option}", str(path), HOT, "train", 20, seconds, detail=detail
    )
    trace = trace_of(path, observations=(seen,))
    assert len([*trainer_pauses.diagnose(trace)]) == told


@pytest.mark.parametrize(
    ("pace", "steps", "told"), [("asked for", 40, 1), ("asked for", 400, 0), ("usual", 40, 0)]
)
def test_a_pause_that_the_program_asked_for_after_few_steps_is_a_note(
    tmp_path: Path, pace: str, steps: int, told: int
) -> None:
    path = script(tmp_path)
    detail = {"steps": steps, "epochs": 3.0, "chosen": pace == "asked for"}
    seen = Observation("trainer-pauses eval_steps", str(path), HOT, "train", 6, 0.9, detail=detail)
    found = [*trainer_pauses.diagnose(trace_of(path, observations=(seen,)))]
    assert [one.weight for one in found] == [Weight.HINT] * told
