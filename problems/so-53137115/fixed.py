"""A small classifier trained in graph mode, with its accuracy shown now and then."""

import numpy as np
import tensorflow as tf

tf.compat.v1.disable_eager_execution()

EPOCHS = 12
BATCH = 32
CLASSES = 3


def samples():
    rng = np.random.default_rng(53)
    features = rng.normal(size=(128, 10)).astype("float32")
    return features, features[:, :CLASSES].argmax(axis=1)


def classifier(features):
    hidden_weights = tf.compat.v1.get_variable(
        "hidden", initializer=tf.random.stateless_normal((10, 16), seed=(1, 2)) * 0.3
    )
    output_weights = tf.compat.v1.get_variable(
        "output", initializer=tf.random.stateless_normal((16, CLASSES), seed=(3, 4)) * 0.3
    )
    return tf.matmul(tf.tanh(tf.matmul(features, hidden_weights)), output_weights)


def train(session, inputs, targets, logits, data):
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits)
    )
    step = tf.compat.v1.train.GradientDescentOptimizer(0.5).minimize(loss)
    correct = tf.equal(tf.argmax(logits, axis=1), targets)
    accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
    session.run(tf.compat.v1.global_variables_initializer())
    features, labels = data
    accuracies = []
    for _ in range(EPOCHS):
        for start in range(0, len(features), BATCH):
            batch = slice(start, start + BATCH)
            feed = {inputs: features[batch], targets: labels[batch]}
            session.run(step, feed)
            accuracies.append(session.run(accuracy, feed))
    return accuracies


def main():
    inputs = tf.compat.v1.placeholder(tf.float32, [None, 10])
    targets = tf.compat.v1.placeholder(tf.int64, [None])
    logits = classifier(inputs)
    with tf.compat.v1.Session() as session:
        return train(session, inputs, targets, logits, samples())


if __name__ == "__main__":
    print(main()[-4:])
