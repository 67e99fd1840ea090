# requires: tensorflow==1.13.1
from __future__ import absolute_import, division, print_function

import tensorflow as tf

tf.enable_eager_execution()
tfe = tf.contrib.eager


def loss(model, x, y):
    return tf.losses.sparse_softmax_cross_entropy(labels=y, logits=model(x))


def main(dataset, model, epochs):
    optimizer = tf.train.GradientDescentOptimizer(learning_rate=0.01)
    for epoch in range(epochs):
        average = tfe.metrics.Mean()
        for x, y in dataset:
            with tf.GradientTape() as tape:
                value = loss(model, x, y)
            gradients = tape.gradient(value, model.variables)
            optimizer.apply_gradients(zip(gradients, model.variables))
            average(value)
        print(epoch, average.result().numpy())
