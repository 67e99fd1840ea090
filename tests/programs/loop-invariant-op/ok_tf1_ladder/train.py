"""Several towers over one input; all of the loops here build the graph, once."""
from collections import namedtuple

import numpy as np
import tensorflow as tf

from nets import multi_tower_loss

flags = tf.app.flags
flags.DEFINE_string("data", "train.npz", "arrays x and y")
flags.DEFINE_integer("steps", 20000, "")
flags.DEFINE_integer("batch", 256, "")
flags.DEFINE_float("lr", 1e-3, "")
FLAGS = flags.FLAGS

Config = namedtuple("Config", "towers classes hidden smoothing max_log_freq n_freqs")


def batches(x, y, size):
    mean, std = x.mean(axis=0), x.std(axis=0) + 1e-6
    x = ((x - mean) / std).astype(np.float32)
    while True:
        order = np.random.permutation(len(x))
        for i in range(0, len(order) - size, size):
            idx = order[i : i + size]
            yield x[idx], y[idx]


def main(_):
    cfg = Config(4, 10, (256, 128), 0.1, 4.0, 16)
    with np.load(FLAGS.data) as f:
        data_x, data_y = f["x"], f["y"].astype(np.int32)

    x = tf.placeholder(tf.float32, [None, data_x.shape[1]])
    y = tf.placeholder(tf.int32, [None])
    loss = multi_tower_loss(x, y, cfg)
    l2 = tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])
    step = tf.train.get_or_create_global_step()
    lr = tf.train.exponential_decay(FLAGS.lr, step, 5000, 0.5)
    train = tf.train.AdamOptimizer(lr).minimize(loss + 1e-5 * l2, global_step=step)

    feed = batches(data_x, data_y, FLAGS.batch)
    with tf.train.MonitoredTrainingSession(checkpoint_dir="ckpt") as sess:
        for i in range(FLAGS.steps):
            bx, by = next(feed)
            _, value = sess.run([train, loss], {x: bx, y: by})
            if i % 500 == 0:
                print(i, value)


if __name__ == "__main__":
    tf.app.run()
