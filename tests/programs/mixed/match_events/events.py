"""Passes and shots of football matches, as windows for a transformer."""
import functools
import json

import numpy as np
import tensorflow as tf

FIELD = np.array([105.0, 68.0], np.float32)
KINDS = ["pass", "shot", "cross", "tackle", "foul"]


def logged(message):
    def outer(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            tf.print(message, function.__name__)
            return function(*args, **kwargs)

        return inner

    return outer


def matches(paths):
    for path in paths:
        with open(path) as stream:
            for half in json.load(stream)["halves"]:
                places = np.array([event["xy"] for event in half], np.float32)
                kinds = np.array([KINDS.index(event["kind"]) for event in half], np.int32)
                yield places, kinds


def mirror(places, kinds, probability=0.5):
    flipped = tf.stack([places[:, 0], FIELD[1] - places[:, 1]], axis=1)
    return tf.where(tf.random.uniform([]) < probability, flipped, places), kinds


def relative(places, kinds):
    return places / FIELD, kinds


def windows(places, kinds, length):
    joined = tf.data.Dataset.from_tensor_slices((places, kinds))
    made = joined.window(length + 1, shift=length, drop_remainder=True)
    return made.flat_map(lambda p, k: tf.data.Dataset.zip((p.batch(length + 1), k.batch(length + 1))))


def shift(places, kinds):
    return (places[:-1], kinds[:-1]), (places[1:], kinds[1:])


@logged("building")
def dataset(paths, length=64, batch_size=128, training=True):
    signature = (tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([None], tf.int32))
    source = tf.data.Dataset.from_generator(functools.partial(matches, paths), output_signature=signature)
    cut = source.flat_map(functools.partial(windows, length=length))
    if training:
        cut = cut.shuffle(10_000).map(mirror)  # finding: serial-map
    steps = (
        cut.map(relative)
        .map(shift)
        .batch(batch_size)
    )
    return steps.prefetch(tf.data.AUTOTUNE)


def encoder(length, width=64):
    places = tf.keras.Input((length, 2))
    kinds = tf.keras.Input((length,), dtype="int32")
    x = tf.keras.layers.Dense(width)(places) + tf.keras.layers.Embedding(len(KINDS), width)(kinds)
    for _ in range(4):
        attended = tf.keras.layers.MultiHeadAttention(4, width // 4)(x, x, use_causal_mask=True)
        x = tf.keras.layers.LayerNormalization()(x + attended)
    return tf.keras.Model([places, kinds], [tf.keras.layers.Dense(2)(x), tf.keras.layers.Dense(len(KINDS))(x)])
