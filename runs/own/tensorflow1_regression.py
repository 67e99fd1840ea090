"""Fits a line with a session, one point a run, as many examples for TensorFlow 1 do."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


def main():
    generator = np.random.default_rng(0)
    xs = generator.uniform(0, 10, 60).astype("float32")
    ys = 0.3 * xs + 0.8 + generator.normal(0, 0.1, 60).astype("float32")
    x = tf.placeholder(tf.float32)
    y = tf.placeholder(tf.float32)
    slope = tf.Variable(generator.normal(), name="slope", dtype=tf.float32)
    offset = tf.Variable(generator.normal(), name="offset", dtype=tf.float32)
    predicted = tf.add(tf.multiply(x, slope), offset)
    cost = tf.reduce_sum(tf.pow(predicted - y, 2)) / (2 * len(xs))
    optimizer = tf.train.GradientDescentOptimizer(0.01).minimize(cost)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for epoch in range(500):
            for one_x, one_y in zip(xs, ys, strict=True):
                session.run(optimizer, feed_dict={x: one_x, y: one_y})
            if (epoch + 1) % 50 == 0:
                value = session.run(cost, feed_dict={x: xs, y: ys})
                print(f"epoch {epoch + 1}: cost {value:.5f}, slope {session.run(slope):.3f}")
        print(session.run(offset))


if __name__ == "__main__":
    main()
