# requires: tensorflow==1.15.0
"""Trains in one session, evaluates in another: two per run, none per step."""
import numpy as np
import tensorflow as tf


class Autoencoder:
    def __init__(self, width, code):
        self.x = tf.placeholder(tf.float32, [None, width])
        hidden = tf.layers.dense(self.x, code, tf.nn.relu)
        self.y = tf.layers.dense(hidden, width)
        self.loss = tf.losses.mean_squared_error(self.x, self.y)
        self.step = tf.train.AdamOptimizer().minimize(self.loss)
        self.saver = tf.train.Saver()


def train(model, rows, steps, path):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            picked = rows[np.random.randint(0, len(rows), 128)]
            sess.run(model.step, {model.x: picked})
        model.saver.save(sess, path)


def anomalies(model, rows, path):
    with tf.Session() as sess:
        model.saver.restore(sess, path)
        return [sess.run(model.loss, {model.x: row[None]}) for row in rows]


def main():
    rows = np.load("sensors.npy")
    model = Autoencoder(rows.shape[1], 8)
    train(model, rows, 5000, "ae/model")
    print(np.sort(anomalies(model, rows, "ae/model"))[-10:])


if __name__ == "__main__":
    main()
