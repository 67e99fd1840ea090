"""The Keras forecaster and its training loop."""

from __future__ import annotations

from collections.abc import Callable

import keras
import tensorflow as tf

from tidewatch.settings import STATIONS, Settings


def build(window: int) -> keras.Model:
    past = keras.Input((window,), name="past")
    station = keras.Input((), dtype="int64", name="station")
    place = keras.layers.Embedding(len(STATIONS) + 1, 4)(station)
    hidden = keras.layers.Concatenate()([past, place])
    for width in (32, 16):
        hidden = keras.layers.Dense(width, activation="relu")(hidden)
    return keras.Model([past, station], keras.layers.Dense(1)(hidden)[:, 0])


def train(model: keras.Model, batches: tf.data.Dataset, settings: Settings) -> list[float]:
    """Trains in place; returns the mean absolute error after each epoch."""
    optimizer = keras.optimizers.Adam(settings.learning_rate)

    @tf.function
    def step(inputs: tuple[tf.Tensor, tf.Tensor], target: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(inputs, training=True) - target))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    errors = []
    for _ in range(settings.epochs):
        for inputs, target in batches:
            step(inputs, target)
        predict = tf.function(lambda inputs: model(inputs, training=False))
        errors.append(evaluate(predict, batches))
    return errors


def evaluate(predict: Callable[..., tf.Tensor], batches: tf.data.Dataset) -> float:
    """The mean absolute error over `batches`, in standardized units."""
    error = keras.metrics.MeanAbsoluteError()
    for inputs, target in batches:
        error.update_state(target, predict(inputs))
    return float(error.result())
