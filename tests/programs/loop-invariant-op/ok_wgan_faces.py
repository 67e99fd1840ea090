# requires: tensorflow==2.9.*
"""WGAN-GP on faces with a fixed latent grid for pictures."""
import os

import numpy as np
import tensorflow as tf
from absl import app, flags
from tensorflow.keras import layers

FLAGS = flags.FLAGS
flags.DEFINE_string("records", "faces-*.tfrecord", "training files")
flags.DEFINE_integer("steps", 100000, "generator steps")
flags.DEFINE_integer("critic_steps", 5, "critic steps per generator step")
flags.DEFINE_integer("latent", 128, "size of the latent vector")
flags.DEFINE_string("out", "samples", "where pictures go")


def make_generator(latent):
    net = tf.keras.Sequential([layers.Input((latent,)), layers.Dense(4 * 4 * 512), layers.Reshape((4, 4, 512))])
    for filters in (256, 128, 64):
        net.add(layers.Conv2DTranspose(filters, 5, 2, "same", use_bias=False))
        net.add(layers.BatchNormalization())
        net.add(layers.ReLU())
    net.add(layers.Conv2DTranspose(3, 5, 2, "same", activation="tanh"))
    return net


def make_critic():
    net = tf.keras.Sequential([layers.Input((64, 64, 3))])
    for filters in (64, 128, 256, 512):
        net.add(layers.Conv2D(filters, 5, 2, "same"))
        net.add(layers.LeakyReLU(0.2))
    net.add(layers.Flatten())
    net.add(layers.Dense(1))
    return net


class WGAN:
    def __init__(self, latent):
        self.latent = latent
        self.generator, self.critic = make_generator(latent), make_critic()
        self.g_opt = tf.keras.optimizers.Adam(1e-4, 0.0, 0.9)
        self.c_opt = tf.keras.optimizers.Adam(1e-4, 0.0, 0.9)
        self.grid = tf.random.stateless_normal([64, latent], seed=[1, 2])

    @tf.function
    def critic_step(self, real):
        size = tf.shape(real)[0]
        z = tf.random.normal([size, self.latent])
        with tf.GradientTape() as tape:
            fake = self.generator(z, training=True)
            mix = tf.random.uniform([size, 1, 1, 1])
            between = mix * real + (1.0 - mix) * fake
            with tf.GradientTape() as inner:
                inner.watch(between)
                score = self.critic(between, training=True)
            slope = tf.norm(tf.reshape(inner.gradient(score, between), [size, -1]), axis=1)
            loss = (
                tf.reduce_mean(self.critic(fake, training=True))
                - tf.reduce_mean(self.critic(real, training=True))
                + 10.0 * tf.reduce_mean(tf.square(slope - 1.0))
            )
        grads = tape.gradient(loss, self.critic.trainable_variables)
        self.c_opt.apply_gradients(zip(grads, self.critic.trainable_variables))
        return loss

    @tf.function
    def generator_step(self, size):
        with tf.GradientTape() as tape:
            fake = self.generator(tf.random.normal([size, self.latent]), training=True)
            loss = -tf.reduce_mean(self.critic(fake, training=True))
        grads = tape.gradient(loss, self.generator.trainable_variables)
        self.g_opt.apply_gradients(zip(grads, self.generator.trainable_variables))
        return loss

    def orthogonality(self):
        """How far the first dense kernel is from orthogonal; for the log."""
        kernel = self.generator.layers[0].kernel
        gram = tf.matmul(kernel, kernel, transpose_b=True)
        return tf.norm(gram - tf.eye(self.latent))

    def pictures(self):
        return self.generator(self.grid, training=False)


def parse(record):
    row = tf.io.parse_single_example(record, {"png": tf.io.FixedLenFeature([], tf.string)})
    image = tf.io.decode_png(row["png"], 3)
    image = tf.image.resize(tf.image.random_flip_left_right(image), [64, 64])
    return image / 127.5 - 1.0


def dataset(pattern, batch):
    files = tf.data.Dataset.list_files(pattern)
    data = files.interleave(tf.data.TFRecordDataset, num_parallel_calls=tf.data.AUTOTUNE)
    data = data.shuffle(10000).repeat().map(parse, num_parallel_calls=tf.data.AUTOTUNE)
    return data.batch(batch, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def save_grid(images, path):
    images = np.asarray((images + 1.0) * 127.5).astype("uint8").reshape(8, 8, 64, 64, 3)
    grid = images.transpose(0, 2, 1, 3, 4).reshape(512, 512, 3)
    tf.io.write_file(path, tf.io.encode_png(grid))


def main(_):
    tf.io.gfile.makedirs(FLAGS.out)
    gan = WGAN(FLAGS.latent)
    size = tf.constant(64)
    batches = iter(dataset(FLAGS.records, 64))
    for step in range(FLAGS.steps):
        for _ in range(FLAGS.critic_steps):
            c_loss = gan.critic_step(next(batches))
        g_loss = gan.generator_step(size)
        if step % 500 == 0:
            print(step, float(c_loss), float(g_loss), float(gan.orthogonality()))
            save_grid(gan.pictures(), os.path.join(FLAGS.out, "%06d.png" % step))


if __name__ == "__main__":
    app.run(main)
