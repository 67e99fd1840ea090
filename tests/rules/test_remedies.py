"""A remedy is of the operation that stands there."""

from __future__ import annotations

import pytest

from deepperf import check_text
from deepperf.config.options import Options
from deepperf.records import Level

PAIRS = """
import numpy as np


def table(a: np.ndarray, b: np.ndarray):
    found = np.zeros((len(a), len(b)))
    for i in range(len(a)):
        for j in range(len(b)):
            found[i, j] = {}
    return found
"""
ALL_PAIRS = "gives all pairs at once"
ALL_DISTANCES = "give all pairs at once"
STEPS = """
import tensorflow as tf
from games import made

model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
optimizer = tf.keras.optimizers.Adam()


def chosen(state):
    return int(tf.argmax(tf.nn.softmax(model(state[None]) / 0.7 + 0.1 - 0.1), axis=1)[0])


def learn(states, gains):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(states) - gains))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


env, seen, gains = made(), [], []
state, over = env.reset(), False
while not over:
    state, gain, over = env.step(chosen(state))
    seen.append(state)
    gains.append(gain)
    learn(tf.stack(seen[-64:]), tf.stack(gains[-64:]))
"""


def _remedies(rule: str, text: str) -> list[str]:
    report = check_text(text, options=Options(select=(rule,), level=Level.NOTE))
    return [found.remedy for found in report.findings]


@pytest.mark.parametrize(
    ("compared", "said"),
    [
        ("np.linalg.norm(a[i] - b[j])", ALL_DISTANCES),
        ("np.sum((a[i] - b[j]) ** 2)", ALL_DISTANCES),
        ("np.dot(a[i], b[j])", ALL_PAIRS),
    ],
)
def test_what_is_compared_is_compared_at_once(compared: str, said: str) -> None:
    assert [said in remedy for remedy in _remedies("per-slice-op", PAIRS.format(compared))] == [
        True
    ]


def test_one_that_is_compared_with_all_is_compared_at_once() -> None:
    text = """
import numpy as np


def table(rows: np.ndarray, queries: np.ndarray):
    found = np.zeros((len(queries), len(rows)))
    for i in range(len(queries)):
        found[i] = np.sum(np.square(rows - queries[i]), axis=1)
    return found
"""
    assert [ALL_DISTANCES in remedy for remedy in _remedies("per-slice-op", text)] == [True]


@pytest.mark.parametrize("combined", ["np.prod(a[i] ** b[j])", "np.linalg.norm(a[i, j])"])
def test_what_is_combined_otherwise_is_no_pair(combined: str) -> None:
    remedies = _remedies("per-slice-op", PAIRS.format(combined))
    assert ["all pairs" in remedy for remedy in remedies] == [False]


def test_the_function_that_takes_the_gradient_is_named() -> None:
    assert _remedies("eager-loop", STEPS) == [
        "put `learn`, gradient and update together, under `tf.function`"
    ]


READ_ONE_BY_ONE = """
import tensorflow as tf


def read(path):
    return tf.image.decode_jpeg(tf.io.read_file(path))


images = tf.data.Dataset.list_files("*.jpg").map(read)
"""
PREFETCHED = READ_ONE_BY_ONE + "images = images.batch(8).prefetch({})\n"


@pytest.mark.parametrize(
    ("version", "text", "said"),
    [
        pytest.param("2.4", READ_ONE_BY_ONE, "=tf.data.AUTOTUNE`", id="since 2.4"),
        pytest.param("1.15", READ_ONE_BY_ONE, "=tf.data.experimental.AUTOTUNE`", id="before"),
        pytest.param("1.12", READ_ONE_BY_ONE, "` as many as there are cores", id="long before"),
        pytest.param(
            "2.4",
            PREFETCHED.format("tf.data.experimental.AUTOTUNE"),
            "=tf.data.experimental.AUTOTUNE`",
            id="as the file writes it",
        ),
    ],
)
def test_the_number_of_workers_is_named_as_the_version_and_the_file_name_it(
    version: str, text: str, said: str
) -> None:
    options = Options(select=("serial-map",), framework_versions={"tensorflow": version})
    (found,) = check_text(text, options).findings
    assert f"`num_parallel_calls{said}" in found.remedy
    assert found.fix is None or said[1:-1] in found.fix.title


GROWING = """
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None, 4])
w = tf.get_variable("w", [4, 1])
loss = tf.reduce_mean(tf.square(x @ w))


def train(batches, step):
    with tf.Session() as session:
        for batch in batches:
            {}
            session.run(step, {{x: batch}})
"""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("session.run(tf.variables_initializer([w]))", "once, before the loop, and reuse"),
        ("saver = tf.train.Saver([w])", "with `max_to_keep=None` if older files are to be kept"),
        ("saver = tf.train.Saver(max_to_keep=3)", "once, before the loop, and reuse"),
        ("change = tf.gradients(loss, [w])", "once, before the loop, and reuse"),
        ("session.run(tf.reduce_mean(loss))", "once, before the loop, and reuse"),
        ("session.run(tf.reduce_mean(batch))", "feed the value in every iteration; or compute"),
        ("session.run(w.assign(batch[0]))", "on a placeholder, and feed the new value"),
        ("session.run(w.assign_add(w))", "once, before the loop, and reuse"),
    ],
)
def test_only_what_is_given_the_turns_values_is_to_be_fed(line: str, said: str) -> None:
    assert [said in remedy for remedy in _remedies("graph-growth", GROWING.format(line))] == [True]


COLLECTED = """
import {library} as np


def collect(rows):
    found = np.zeros((0,))
    for row in rows:
        found = np.append(found, row)
    return found
"""


@pytest.mark.parametrize(("library", "expected"), [("jax.numpy", 1), ("numpy", 0)])
def test_an_array_that_grows_is_compiled_again_by_jax_alone(library: str, expected: int) -> None:
    options = Options(select=("growing-array",), level=Level.NOTE)
    (found,) = check_text(COLLECTED.format(library=library), options).findings
    assert found.remedy.count("is compiled again for each length") == expected
