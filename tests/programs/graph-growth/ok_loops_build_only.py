# requires: tensorflow==1.15.0
import numpy as np
import tensorflow as tf


def residual(x, width):
    y = tf.layers.dense(tf.nn.relu(x), width)
    return x + tf.layers.dense(tf.nn.relu(y), width)


def build(depth, width):
    x = tf.placeholder(tf.float32, [None, width])
    hidden = x
    for _ in range(depth):
        hidden = residual(hidden, width)
    losses = []
    for scale in np.linspace(0.1, 1.0, 20):
        losses.append(tf.reduce_mean(tf.square(hidden * scale - x)))
    return x, tf.add_n(losses)


def train(rows, steps):
    x, loss = build(24, 64)
    train_op = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)
    initialize = tf.global_variables_initializer()
    with tf.Session() as sess:
        sess.run(initialize)
        for step in range(steps):
            picked = np.random.randint(0, len(rows), 32)
            sess.run(train_op, {x: rows[picked]})
