"""Sparse activations: each row of a hidden layer keeps its strongest units only."""

import tensorflow as tf

ROWS = 512
UNITS = 64
KEPT = 6


def strongest(row):
    values, places = tf.math.top_k(row, k=KEPT)
    return tf.scatter_nd(places[:, tf.newaxis], values, [UNITS])


def sparsify(activations):
    return tf.map_fn(strongest, activations)  # finding


class SparseAutoencoder(tf.Module):
    def __init__(self):
        super().__init__()
        self.encoder = tf.Variable(tf.random.stateless_normal((32, UNITS), seed=(1, 2)) * 0.2)
        self.decoder = tf.Variable(tf.random.stateless_normal((UNITS, 32), seed=(3, 4)) * 0.2)

    def __call__(self, inputs):
        hidden = tf.nn.relu(inputs @ self.encoder)
        return sparsify(hidden) @ self.decoder


def train(model, inputs, steps):
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(inputs) - inputs))
        gradients = tape.gradient(loss, model.trainable_variables)
        for variable, gradient in zip(model.trainable_variables, gradients):
            variable.assign_sub(0.1 * gradient)
    return loss


def main():
    inputs = tf.random.stateless_normal((ROWS, 32), seed=(5, 6))
    model = SparseAutoencoder()
    loss = train(model, inputs, steps=1)
    return [loss.numpy(), model(inputs[:8]).numpy()]


if __name__ == "__main__":
    print(main()[0])
