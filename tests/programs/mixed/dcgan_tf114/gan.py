import os

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_integer("epochs", 200, "")
flags.DEFINE_integer("batch", 64, "")
flags.DEFINE_integer("z", 100, "")
flags.DEFINE_string("out", "samples", "")
FLAGS = flags.FLAGS


def generator(z, reuse=False):
    with tf.variable_scope("G", reuse=reuse):
        h = tf.layers.dense(z, 7 * 7 * 128, tf.nn.relu)
        h = tf.reshape(h, [-1, 7, 7, 128])  # finding: graph-growth
        h = tf.layers.conv2d_transpose(h, 64, 5, 2, "same", activation=tf.nn.relu)  # finding: graph-growth
        return tf.layers.conv2d_transpose(h, 1, 5, 2, "same", activation=tf.nn.tanh)  # finding: graph-growth


def discriminator(x, reuse=False):
    with tf.variable_scope("D", reuse=reuse):
        h = x
        for width in [64, 128]:
            h = tf.nn.leaky_relu(tf.layers.conv2d(h, width, 5, 2, "same"))
        return tf.layers.dense(tf.layers.flatten(h), 1)


class GAN:
    def __init__(self, sess):
        self.sess = sess
        self.x = tf.placeholder(tf.float32, [None, 28, 28, 1])
        self.z = tf.placeholder(tf.float32, [None, FLAGS.z])
        self.fake = generator(self.z)
        real_score, fake_score = discriminator(self.x), discriminator(self.fake, True)
        xent = tf.nn.sigmoid_cross_entropy_with_logits
        self.d_loss = tf.reduce_mean(
            xent(labels=tf.ones_like(real_score), logits=real_score)
            + xent(labels=tf.zeros_like(fake_score), logits=fake_score)
        )
        self.g_loss = tf.reduce_mean(xent(labels=tf.ones_like(fake_score), logits=fake_score))
        every = tf.trainable_variables()
        self.d_vars = [v for v in every if v.name.startswith("D")]
        self.g_vars = [v for v in every if v.name.startswith("G")]
        self.d_opt = tf.train.AdamOptimizer(2e-4, 0.5).minimize(self.d_loss, var_list=self.d_vars)
        self.g_opt = tf.train.AdamOptimizer(2e-4, 0.5).minimize(self.g_loss, var_list=self.g_vars)
        self.saver = tf.train.Saver(max_to_keep=3)

    def noise(self, n):
        return np.random.uniform(-1, 1, [n, FLAGS.z]).astype(np.float32)

    def sample(self, n=64):
        images = generator(self.z, reuse=True)  # finding: graph-growth
        return self.sess.run(images, {self.z: self.noise(n)})

    def sample_cached(self, n=64):
        if not hasattr(self, "_sampler"):
            self._sampler = (generator(self.z, reuse=True) + 1.0) / 2.0
        return self.sess.run(self._sampler, {self.z: self.noise(n)})

    def clip(self):
        ops = [v.assign(tf.clip_by_value(v, -0.01, 0.01)) for v in self.d_vars]  # finding: graph-growth
        self.sess.run(ops)

    def train(self, data):
        self.sess.run(tf.global_variables_initializer())
        for epoch in range(FLAGS.epochs):
            np.random.shuffle(data)
            for i in range(0, len(data) - FLAGS.batch, FLAGS.batch):
                x = data[i : i + FLAGS.batch]
                for _ in range(2):
                    _, d = self.sess.run(
                        [self.d_opt, self.d_loss], {self.x: x, self.z: self.noise(FLAGS.batch)}
                    )
                    self.clip()
                _, g = self.sess.run([self.g_opt, self.g_loss], {self.z: self.noise(FLAGS.batch)})
            print(epoch, d, g)
            grid = self.sample()
            np.save(os.path.join(FLAGS.out, "%03d.npy" % epoch), grid)
            np.save(os.path.join(FLAGS.out, "pretty%03d.npy" % epoch), self.sample_cached(16))
            self.saver.save(self.sess, os.path.join(FLAGS.out, "ckpt"), epoch)


def interpolate(gan, steps):
    """Drawn once, after training."""
    start, end = gan.noise(1), gan.noise(1)
    blend = tf.linspace(0.0, 1.0, steps)
    weights = gan.sess.run(blend)
    for w in weights:
        yield gan.sess.run(gan.fake, {gan.z: (1 - w) * start + w * end})


def main(_):
    data = np.load("mnist.npy")
    with tf.Session() as sess:
        gan = GAN(sess)
        gan.train(data)
        np.save("walk.npy", np.concatenate(list(interpolate(gan, 20))))


if __name__ == "__main__":
    tf.app.run()
