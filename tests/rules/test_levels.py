"""What rules find is a note where the text shows that it costs little."""

from __future__ import annotations

import pytest

from deepperf import check_text
from deepperf.config.options import Options
from deepperf.records import Level

FEW_PLACES = """
import numpy as np


def halves(images: np.ndarray):
    kept = np.zeros((40, 64))
    for i in range(40):
        kept[i] = images[2 * i]
    return kept
"""
LARGE_PARTS = """
import numpy as np


def columns(images: np.ndarray, height, width, outer, inner):
    found = np.zeros((len(images), height, width, outer, inner))
    for row in range(height):
        for column in range(width):
            found[:, row, column, :, :] = images[:, row : row + outer, column : column + inner]
    return found
"""
ONE_TURN = """
import tensorflow as tf


tf.compat.v1.disable_eager_execution()
rate = tf.Variable(0.1)
step = tf.compat.v1.train.GradientDescentOptimizer(rate).minimize(tf.Variable(1.0))


def train(falls_at, steps):
    with tf.compat.v1.Session() as session:
        number = 0
        falls = list(falls_at)
        following = falls.pop()
        while number < steps:
            if number == following:
                session.run(tf.compat.v1.assign(rate, 0.001))
                following = falls.pop()
            session.run(step)
            number += 1
"""

ONCE_PER_EPOCH = """
import tensorflow as tf


tf.compat.v1.disable_eager_execution()
rate = tf.Variable(0.1)
step = tf.compat.v1.train.GradientDescentOptimizer(rate).minimize(tf.Variable(1.0))


def train(epochs, steps):
    with tf.compat.v1.Session() as session:
        for epoch in range(epochs):
            session.run(tf.compat.v1.assign(rate, 0.9**epoch))
            for _ in range(steps):
                session.run(step)
"""
ONCE_PER_FILE = """
import tensorflow as tf


def first_records(files):
    found = []
    for file in files:
        records = tf.compat.v1.data.make_one_shot_iterator(tf.data.TFRecordDataset(file))
        with tf.compat.v1.Session() as session:
            found.append(session.run(records.get_next()))
    return found
"""
EPOCHS_WITHOUT_A_NAME = """
import tensorflow as tf


tf.compat.v1.disable_eager_execution()
seen = tf.Variable(0)
step = tf.compat.v1.train.GradientDescentOptimizer(0.1).minimize(tf.Variable(1.0))


def train(rows, begin, feeds):
    with tf.compat.v1.Session() as session:
        for number in range(begin, 300):
            for start in range(0, len(rows), 64):
                session.run(step, feeds(rows[start : start + 64]))
            session.run(seen.assign(number))
"""
PANELS = """
import matplotlib.pyplot as plt
import tensorflow as tf


def show(session, rows, weights):
    for i in range(rows.shape[0]):
        plt.subplot(7, 4, i + 1)
        plt.bar(range(10), session.run(tf.nn.softmax(tf.matmul(rows[i : i + 1], weights)))[0])
    plt.show()
"""
LAYERS_OF_STATES = """
import torch


def first_states(hidden: torch.Tensor, num_layers):
    return torch.stack([hidden[2 * i] for i in range(num_layers)])
"""
EXPERTS = """
import torch


def mixed(features: torch.Tensor, weights: torch.Tensor, num_experts):
    found = []
    for i in range(num_experts):
        found.append(torch.einsum("bd,de->be", features, weights[i]))
    return torch.stack(found)
"""
BESIDE_FILTERS = """
import numpy as np
from scipy.ndimage import laplace


def sharpness(bands: np.ndarray):
    found = []
    for i in range(bands.shape[0]):
        found.append(np.mean(bands[i]) / laplace(bands[i]).var())
    return found
"""
MADE_ROWS = """
import numpy as np


def vectors(lines, size):
    table = np.zeros((len(lines), size))
    for i, line in enumerate(lines):
        table[i] = np.asarray(line)
    return table
"""
STEPS_THAT_ASK_FOR_NUMBERS = """
import tensorflow as tf


def train(model, optimizer, batches: tf.data.Dataset, writer):
    def step(inputs, targets):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(inputs) - targets) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        writer.write(loss.numpy())

    for inputs, targets in batches:
        step(inputs, targets)
"""
LOSSES_OF_NUMBERS = """
import numpy as np
import tensorflow as tf


def loss_of(targets, found):
    weights = np.abs(targets) / np.sum(targets)
    return tf.reduce_mean(weights * (found - targets) ** 2)


def train(model, optimizer, batches: tf.data.Dataset):
    for inputs, targets in batches:
        with tf.GradientTape() as tape:
            loss = loss_of(targets, model(inputs))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
"""
ROWS_OF_TWO_NUMBERS = """
from tensorflow import keras


def train(rows, targets, more, wanted):
    first = keras.layers.Input(shape=(2,))
    wide = keras.layers.Reshape((8, 8, 1))(keras.layers.Dense(64)(first))
    last = keras.layers.Flatten()(keras.layers.Conv2D(4, 2)(wide))
    model = keras.Model(first, keras.layers.Dense(1)(last))
    model.compile("adam", "mse")
    model.fit(rows, targets, batch_size=1)
    return model.evaluate(more, wanted)
"""
JOINED_LINES = """
import tensorflow as tf


def marked(line):
    return tf.strings.join([line, tf.strings.as_string(tf.random.uniform([]))])


def sentences(path):
    return tf.data.TextLineDataset(path).map(marked).prefetch(8)
"""
CROPS = """
import tensorflow as tf


def halved(image):
    return tf.reduce_mean(image[: tf.shape(image)[0] // 2])


def halves(images):
    return tf.map_fn(halved, images)
"""


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("looped-update", FEW_PLACES),
        ("looped-update", LARGE_PARTS),
        ("graph-growth", ONE_TURN),
        ("graph-growth", ONCE_PER_EPOCH),
        ("session-per-step", ONCE_PER_FILE),
        ("graph-growth", EPOCHS_WITHOUT_A_NAME),
        ("graph-growth", PANELS),
        ("looped-lookup", LAYERS_OF_STATES),
        ("per-slice-op", EXPERTS),
        ("per-slice-op", BESIDE_FILTERS),
        ("looped-update", MADE_ROWS),
        ("serial-map", JOINED_LINES),
        ("row-wise-map", CROPS),
        ("eager-loop", STEPS_THAT_ASK_FOR_NUMBERS),
        ("eager-loop", LOSSES_OF_NUMBERS),
        ("predict-batch-size", ROWS_OF_TWO_NUMBERS),
    ],
    ids=[
        "few places",
        "large parts",
        "one certain turn",
        "once per epoch",
        "once per file",
        "once per pass over the data",
        "panels of one picture",
        "layers of states",
        "experts",
        "beside filters of another library",
        "rows that are made",
        "lines that are joined",
        "crops by their own size",
        "steps that ask for numbers",
        "losses of numbers",
        "rows of two numbers",
    ],
)
def test_what_costs_little_is_a_note(rule: str, text: str) -> None:
    report = check_text(text, options=Options(select=(rule,), level=Level.NOTE))
    assert {(found.rule, found.level) for found in report.findings} == {(rule, Level.NOTE)}
    assert all(found.estimate < 0.01 for found in report.findings)
