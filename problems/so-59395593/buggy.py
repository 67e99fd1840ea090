"""Kernel ridge regression: the kernel between training and test points, then predictions."""

import tensorflow as tf

TRAIN = 40
TEST = 16
DIMENSIONS = 8
WIDTH = 1.5


def points(count, seed):
    return tf.random.stateless_normal((count, DIMENSIONS), seed=(59, seed))


def kernel(left, right):
    def row(one):
        return tf.map_fn(
            lambda other: tf.exp(-tf.reduce_sum(tf.square(one - other)) / (2.0 * WIDTH**2)),
            right,
        )

    return tf.map_fn(row, left)  # finding


def fit(train, targets, ridge):
    gram = kernel(train, train) + ridge * tf.eye(TRAIN)
    return tf.linalg.solve(gram, targets)


def main():
    train, test = points(TRAIN, 1), points(TEST, 2)
    targets = tf.sin(tf.reduce_sum(train, axis=1, keepdims=True))
    dual = fit(train, targets, ridge=0.5)
    predictions = kernel(test, train) @ dual
    return predictions.numpy()[:, 0]


if __name__ == "__main__":
    print(main()[:5])
