"""What rules find is a note where it is little beside what is done around it."""

from __future__ import annotations

import pytest

from deepperf import check_text
from deepperf.config.options import Options
from deepperf.records import Level

DRAWING = """
import keras
import numpy as np

model = keras.models.load_model("generator.keras")
fixed = np.random.normal(size=(1, 64))
for step in range(100_000):
    picture = draw_another(step)
    {condition}:
        save(model.predict(picture[None]), step)
"""
BESIDE_STEPS = """
import keras

generator = keras.models.load_model("generator.keras")
critic = keras.models.load_model("critic.keras")
batches = iter(keras.utils.image_dataset_from_directory("images"))
for step in range(100_000):
    images = next(batches)
    made = generator.predict(images)[0, 0]
    {training}
    keep(made)
"""
LABELS = """
import tensorflow as tf

files = tf.data.TFRecordDataset("rows.tfrecord")
words = tf.lookup.TextFileInitializer("names", "string", 0, "int64", 1)
table = tf.lookup.StaticHashTable(words, 0)
numbered = files.map(lambda image, name: ({image}, table.lookup(name)))
"""
MODES = """
import tensorflow as tf


def entropies(batches):
    with tf.compat.v1.Session() as session:
        for batch in batches:
            {asked}
            session.run(tf.reduce_sum(batch))
"""
KEPT = """
import tensorflow as tf

rows = tf.data.Dataset.from_tensor_slices(load())
scaled = rows.map(lambda x: tf.cast(x, "float32") / 255.0, num_parallel_calls=4)
batches = scaled{kept}.shuffle(5000).batch(64).prefetch(1)
"""


@pytest.mark.parametrize(
    ("rule", "text", "little", "much"),
    [
        (
            "predict-per-item",
            DRAWING,
            {"condition": "if step % 500 == 0"},
            {"condition": "if step != 500"},
        ),
        (
            "predict-per-item",
            BESIDE_STEPS,
            {"training": "critic.train_on_batch(images)"},
            {"training": "step += 1"},
        ),
        (
            "serial-map",
            LABELS,
            {"image": "image"},
            {"image": "tf.io.decode_jpeg(image)"},
        ),
        ("graph-growth", MODES, {"asked": "if tf.executing_eagerly(): break"}, {"asked": "pass"}),
        ("map-before-batch", KEPT, {"kept": ".cache()"}, {"kept": ""}),
    ],
    ids=[
        "now and then",
        "perhaps a batch, beside a step",
        "a number for each name",
        "in graph mode only",
        "in the first pass only",
    ],
)
def test_what_is_little_is_a_note_and_the_same_alone_a_finding(
    rule: str, text: str, little: dict[str, str], much: dict[str, str]
) -> None:
    options = Options(select=(rule,), level=Level.NOTE)
    least = [f.level for f in check_text(text.format(**little), options=options).findings]
    most = [f.level for f in check_text(text.format(**much), options=options).findings]
    assert Level.NOTE in least
    assert Level.WARNING not in least[:1]
    assert Level.WARNING in most


GIVEN_AWAY = """
import jax
import jax.numpy as jnp
import numpy as np


def pair(function):
    def mapped(places, kinds):
        total = jnp.float32(0)
        for i in range({turns}):
            near = jnp.take(places, kinds[i])
            far = jnp.exp(jnp.sin(near) * jnp.cos(near) - jnp.tanh(near))
            total = total + jnp.sum(function(far))
        return total
    {use}


energy = pair(jnp.square)
print(energy(jnp.ones(9), jnp.arange(9)) if callable(energy) else energy)
"""


@pytest.mark.parametrize(
    ("use", "count"), [("return mapped", 0), ("return mapped(jnp.ones(900), jnp.arange(900))", 1)]
)
def test_functions_of_jax_that_are_given_away_are_for_others_to_compile(
    use: str, count: int
) -> None:
    text = GIVEN_AWAY.format(turns="len(kinds)", use=use)
    options = Options(select=("eager-loop",), level=Level.NOTE)
    assert len(check_text(text, options=options).findings) == count


@pytest.mark.parametrize(("other", "count"), [("given", 0), ("rights", 1)])
def test_elements_that_are_kept_or_dropped_in_several_lists_are_no_choice(
    other: str, count: int
) -> None:
    text = f"""
import numpy as np


def kept(labels: np.ndarray):
    rights, given = [], []
    for i in range(len(labels)):
        if labels[i] != -100:
            rights.append(labels[i])
            {other}.append(-labels[i])
    return rights, given
"""
    found = check_text(text, options=Options(select=("looped-branch",), level=Level.NOTE)).findings
    assert len(found) == count
