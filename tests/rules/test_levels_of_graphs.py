"""What grows a graph, opens a session or compiles now and then, or for each of few, is a note."""

from __future__ import annotations

import pytest

from deepperf import check_text
from deepperf.config.options import Options
from deepperf.records import Level

EACH_NTH_TURN = """
import tensorflow as tf


tf.compat.v1.disable_eager_execution()
rate = tf.Variable(0.1)
step = tf.compat.v1.train.GradientDescentOptimizer(rate).minimize(tf.Variable(1.0))


def train(settings, first, last):
    with tf.compat.v1.Session() as session:
        for number in range(first, last):
            if number and number % settings.interval == 0:
                session.run(tf.compat.v1.assign(rate, rate * 0.1))
            session.run(step)
"""
EACH_FIFTIETH_TURN = EACH_NTH_TURN.replace("settings.interval", "50")
TEN_TURNS = EACH_NTH_TURN.replace("first, last)", "1000)").replace("settings.interval", "100")
WHERE_TENSORS_COME_IN = """
import numpy as np
import tensorflow.compat.v1 as tf


def norm(vectors):
    if isinstance(vectors, np.ndarray):
        found = np.linalg.norm(vectors, axis=1)
    else:
        found = tf.norm(vectors, axis=1)
    return found


def norms(output, batches):
    session = tf.Session()
    for batch in batches:
        print(norm(session.run(output, feed_dict={"rows:0": batch})))
"""
WHERE_A_FUNCTION_TELLS_TENSORS = """
def is_tensor(value):
    return isinstance(value, (tf.Tensor, tf.Variable))
""" + WHERE_TENSORS_COME_IN.replace("isinstance(vectors, np.ndarray)", "not is_tensor(vectors)")
A_SESSION_FOR_EACH_SIZE = """
import time

import tensorflow.compat.v1 as tf


def seconds(size):
    one = tf.Variable(tf.random_uniform((size,)))
    doubled = one + one
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    start = time.time()
    session.run(doubled.op)
    return time.time() - start


def table(sizes):
    return [seconds(size) for size in sizes]
"""
A_PICTURE_OF_EACH_MODEL = """
import matplotlib.pyplot as plt
import tensorflow.compat.v1 as tf


def show(models):
    for model in models:
        session = tf.Session(graph=model.graph)
        with session:
            session.run(tf.global_variables_initializer())
            plt.suptitle(model.name)
            model.show(session)
        session.close()
"""
A_FIT_IN_EACH_SESSION = """
import tensorflow.compat.v1 as tf


class Search:
    def run(self, settings, rows, labels, chosen):
        def score(setting):
            with tf.Session():
                model = self.make(settings[setting])
                model.fit(rows, labels)
                return model.score(rows, labels)

        return [score(setting) for setting in chosen]
"""
A_TABLE_OF_DATA_SETS = """
import jax
import jax.numpy as jnp


def scores(texts, images):
    return jax.jit(lambda x, y: jnp.dot(x, y.T))(texts, images)


def table(texts, datasets):
    return {name: scores(texts, images) for name, images in datasets.items()}
"""
COMPILED_TO_LOG = """
import jax


def log(values):
    @jax.jit
    def summed(values):
        return jax.tree.map(lambda x: x.sum(), values)

    print(summed(values))


def train(state, update, settings):
    for step in range(settings.steps):
        state = update(state)
        if step % settings.log_every == 0:
            log(state)
"""


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        pytest.param("graph-growth", EACH_NTH_TURN, id="as a setting says"),
        pytest.param("graph-growth", EACH_FIFTIETH_TURN, id="one variable, each fiftieth time"),
        pytest.param("graph-growth", TEN_TURNS, id="ten times in all"),
        pytest.param("graph-growth", TEN_TURNS.replace("% 100", "% 50"), id="twenty times in all"),
        pytest.param("graph-growth", WHERE_TENSORS_COME_IN, id="if it is given a tensor"),
        pytest.param("graph-growth", WHERE_A_FUNCTION_TELLS_TENSORS, id="if a function tells so"),
        pytest.param("graph-growth", A_SESSION_FOR_EACH_SIZE, id="of variables made beside it"),
        pytest.param("session-per-step", A_SESSION_FOR_EACH_SIZE, id="a session for them"),
        pytest.param("graph-growth", A_PICTURE_OF_EACH_MODEL, id="of models that are shown"),
        pytest.param("session-per-step", A_PICTURE_OF_EACH_MODEL, id="a session to show each"),
        pytest.param("session-per-step", A_FIT_IN_EACH_SESSION, id="a session to fit in"),
        pytest.param("compiled-per-call", A_TABLE_OF_DATA_SETS, id="for entries of a table"),
        pytest.param("compiled-per-call", COMPILED_TO_LOG, id="to log"),
    ],
)
def test_what_is_done_for_few_turns_is_a_note(rule: str, text: str) -> None:
    report = check_text(text, options=Options(select=(rule,), level=Level.NOTE))
    assert {(found.rule, found.level) for found in report.findings} == {(rule, Level.NOTE)}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TEN_TURNS.replace("% 100", "% 40"), id="more than twenty times in all"),
        pytest.param(EACH_NTH_TURN.replace("number % settings", "steps % settings"), id="of steps"),
        pytest.param(
            EACH_NTH_TURN.replace(
                "session.run(tf.compat.v1.assign(rate, rate * 0.1))",
                'tf.compat.v1.train.Saver().save(session, "model")',
            ),
            id="for each variable",
        ),
    ],
)
def test_what_is_done_for_many_turns_is_found(text: str) -> None:
    report = check_text(text, options=Options(select=("graph-growth",)))
    assert [found.rule for found in report.findings] == ["graph-growth"]
