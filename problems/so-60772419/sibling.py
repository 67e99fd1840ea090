"""Trains a linear model while its weights are drawn back into a ball after each step."""

import numpy as np
import tensorflow as tf
from sibling_ball import Ball

STEPS = 15


def main():
    tf.compat.v1.disable_eager_execution()
    rng = np.random.default_rng(1)
    data = rng.normal(size=(200, 6))
    goal = data @ rng.normal(size=(6, 2))
    x = tf.compat.v1.placeholder(tf.float32, (None, 6))
    y = tf.compat.v1.placeholder(tf.float32, (None, 2))
    with tf.compat.v1.variable_scope("linear"):
        matrix = tf.compat.v1.get_variable("matrix", (6, 2), use_resource=True)
    loss = tf.reduce_mean((x @ matrix - y) ** 2)
    step = tf.compat.v1.train.GradientDescentOptimizer(0.5).minimize(loss)
    with tf.compat.v1.Session() as sess:
        sess.run(tf.compat.v1.global_variables_initializer())
        ball = Ball(sess, radius=1.0)
        for _ in range(STEPS):
            sess.run(step, feed_dict={x: data, y: goal})
            ball.draw_in(matrix)
        return np.linalg.norm(sess.run(matrix))


if __name__ == "__main__":
    print(main())
