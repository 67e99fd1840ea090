import random

import numpy as np
import tensorflow as tf
from tensorflow import keras

INNER, META, EPISODES = 5, 0.1, 2000


def network():
    return keras.Sequential(
        [keras.layers.Dense(40, "relu"), keras.layers.Dense(40, "relu"), keras.layers.Dense(1)]
    )


class Sinusoid:
    def __init__(self):
        self.amplitude, self.phase = random.uniform(0.1, 5), random.uniform(0, np.pi)

    def batch(self, count):
        x = np.random.uniform(-5, 5, (count, 1)).astype("float32")
        return x, self.amplitude * np.sin(x + self.phase)


@tf.function
def adapt(model, optimizer, x, y, scale):
    with tf.GradientTape() as tape:
        loss = keras.losses.mse(y, model(x)) * scale
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    return tf.reduce_mean(loss)


@tf.function
def forward(model, x, training):
    return model(x, training=training)


@tf.function
def noisy(x, step):
    return x + tf.random.normal(tf.shape(x)) / (1.0 + tf.cast(step, tf.float32))


def main():
    model, optimizer = network(), keras.optimizers.SGD(0.02)
    model.build((None, 1))
    losses = []
    for episode in range(EPISODES):
        task, before = Sinusoid(), model.get_weights()
        rate = 1.0 - episode / EPISODES
        for _ in range(INNER):
            x, y = task.batch(10)
            loss = adapt(model, optimizer, x, y, rate)  # finding: retracing
            losses.append(float(loss))
        after = model.get_weights()
        model.set_weights([b + META * (a - b) for b, a in zip(before, after)])
        if episode % 50 == 0:
            x, y = task.batch(100)
            print(episode, np.mean((forward(model, x, False) - y) ** 2))


def main_with_tensors(dataset):
    model, optimizer = network(), keras.optimizers.SGD(0.02)
    for step, (x, y) in enumerate(dataset):
        x = noisy(x, tf.constant(step))
        adapt(model, optimizer, x, y, tf.constant(0.5))


def anneal(dataset, model):
    for step, (x, _) in enumerate(dataset):
        forward(model, noisy(x, step), True)  # finding: retracing


if __name__ == "__main__":
    main()
