"""Trains a denoiser on records; compat.v1 since the lab's cluster moved to TF 2."""
import logging
import os

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
logging.basicConfig(level=logging.INFO)
log = logging.getLogger(__name__)


def parse(record):
    features = tf.io.parse_single_example(record, {"x": tf.io.FixedLenFeature([], tf.string)})
    return tf.image.convert_image_dtype(tf.io.decode_png(features["x"], channels=1), tf.float32)


def make_iterator(files, batch_size):
    data = tf.data.TFRecordDataset(files).map(parse, num_parallel_calls=8)
    return tf.data.make_one_shot_iterator(data.repeat().batch(batch_size))


class Denoiser:
    def __init__(self, width=64, depth=8):
        self.x = tf.placeholder(tf.float32, [None, 64, 64, 1], "x")
        self.sigma = tf.placeholder(tf.float32, [], "sigma")
        noisy = self.x + self.sigma * tf.random.normal(tf.shape(self.x))
        h = noisy
        for i in range(depth):
            h = tf.layers.conv2d(h, width, 3, padding="same", activation=tf.nn.relu, name="c%d" % i)
        self.residual = tf.layers.conv2d(h, 1, 3, padding="same", name="out")
        self.clean = noisy - self.residual
        self.loss = tf.reduce_mean(tf.square(self.clean - self.x))
        self.step = tf.train.AdamOptimizer(1e-4).minimize(self.loss)

    def psnr(self, sess, images):
        clean = sess.run(self.clean, {self.x: images, self.sigma: 0.1})
        value = tf.reduce_mean(tf.image.psnr(clean, images, max_val=1.0))  # finding: graph-growth
        return sess.run(value)


class Training:
    def __init__(self, root, batch_size=128):
        files = [os.path.join(root, f) for f in sorted(os.listdir(root))]
        self.train = make_iterator(files[2:], batch_size)
        self.valid = make_iterator(files[:2], batch_size)
        self.model = Denoiser()
        self.writer = tf.summary.FileWriter("logs")
        self.sess = tf.Session()

    def log_scalar(self, tag, value, step):
        summary = tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=value)])
        self.writer.add_summary(summary, step)

    def run(self, steps):
        self.sess.run(tf.global_variables_initializer())
        for step in range(steps):
            images = self.sess.run(self.train.get_next())  # finding: graph-growth
            sigma = np.random.uniform(0.02, 0.3)
            feed = {self.model.x: images, self.model.sigma: sigma}
            loss, _ = self.sess.run([self.model.loss, self.model.step], feed)
            if step % 500 == 0:
                images = self.sess.run(self.valid.get_next())  # finding: graph-growth
                psnr = self.model.psnr(self.sess, images)
                self.log_scalar("psnr", psnr, step)
                log.info("%d loss %.5f psnr %.2f", step, loss, psnr)
                tf.train.Saver().save(self.sess, "ckpt/denoiser", step)  # finding: graph-growth


if __name__ == "__main__":
    Training("records").run(200000)
