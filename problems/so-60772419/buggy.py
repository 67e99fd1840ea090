"""Random search around the best weights found so far, in graph mode."""

import numpy as np
import tensorflow as tf

tf.compat.v1.disable_eager_execution()

ROUNDS = 40
LAYERS = ((8, 16), (16, 16), (16, 1))


def regression_data():
    rng = np.random.default_rng(60)
    inputs = rng.normal(size=(128, 8)).astype("float32")
    return inputs, np.sin(inputs.sum(axis=1, keepdims=True))


def network(inputs):
    weights = []
    outputs = inputs
    for index, shape in enumerate(LAYERS):
        weight = tf.compat.v1.get_variable(
            f"weight{index}", shape, initializer=tf.compat.v1.zeros_initializer()
        )
        outputs = tf.matmul(tf.tanh(outputs) if weights else outputs, weight)
        weights.append(weight)
    return outputs, weights


def search(session, loss, weights, feed, rng):
    best = [rng.normal(scale=0.4, size=shape) for shape in LAYERS]
    lowest = np.inf
    for _ in range(ROUNDS):
        trial = [value + rng.normal(scale=0.1, size=value.shape) for value in best]
        for weight, value in zip(weights, trial):
            session.run(tf.compat.v1.assign(weight, value))  # finding
        error = session.run(loss, feed)
        if error < lowest:
            best, lowest = trial, error
    return lowest


def main():
    inputs = tf.compat.v1.placeholder(tf.float32, [None, 8])
    targets = tf.compat.v1.placeholder(tf.float32, [None, 1])
    outputs, weights = network(inputs)
    loss = tf.reduce_mean(tf.square(outputs - targets))
    x, y = regression_data()
    with tf.compat.v1.Session() as session:
        session.run(tf.compat.v1.global_variables_initializer())
        return search(session, loss, weights, {inputs: x, targets: y}, np.random.default_rng(7))


if __name__ == "__main__":
    print(main())
