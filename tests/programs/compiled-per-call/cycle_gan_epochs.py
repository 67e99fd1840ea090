# requires: tensorflow==2.3.*
"""CycleGAN after the tutorial, with a learning rate that falls by epoch."""
import functools
import os

import tensorflow as tf
import tensorflow_datasets as tfds
from absl import app, flags

FLAGS = flags.FLAGS
flags.DEFINE_string('dataset', 'horse2zebra', 'Name in TFDS cycle_gan.')
flags.DEFINE_integer('epochs', 200, 'Epochs.')
flags.DEFINE_integer('batch_size', 1, 'Pairs per step.')
flags.DEFINE_float('lr', 2e-4, 'Learning rate.')
flags.DEFINE_string('out', 'out', 'Folder for checkpoints and pictures.')

bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)
LAMBDA = 10.0


def conv(filters, stride, norm=True):
    block = tf.keras.Sequential([tf.keras.layers.Conv2D(filters, 4, stride, padding='same')])
    if norm:
        block.add(tf.keras.layers.BatchNormalization())
    block.add(tf.keras.layers.LeakyReLU())
    return block


def make_generator():
    x = inputs = tf.keras.Input((256, 256, 3))
    for filters in (64, 128, 256):
        x = conv(filters, 2)(x)
    for filters in (128, 64, 32):
        x = tf.keras.layers.Conv2DTranspose(filters, 4, 2, padding='same', activation='relu')(x)
    x = tf.keras.layers.Conv2D(3, 4, padding='same', activation='tanh')(x)
    return tf.keras.Model(inputs, x)


def make_discriminator():
    x = inputs = tf.keras.Input((256, 256, 3))
    for filters in (64, 128, 256):
        x = conv(filters, 2, norm=filters > 64)(x)
    return tf.keras.Model(inputs, tf.keras.layers.Conv2D(1, 4)(x))


def load(name, split):
    def prepare(image, label):
        image = tf.image.resize(image, (286, 286))
        image = tf.image.random_crop(image, (256, 256, 3))
        return tf.cast(image, tf.float32) / 127.5 - 1

    ds = tfds.load('cycle_gan/' + name, split=split, as_supervised=True)
    ds = ds.map(prepare, num_parallel_calls=tf.data.experimental.AUTOTUNE)
    return ds.shuffle(1000).batch(FLAGS.batch_size).prefetch(tf.data.experimental.AUTOTUNE)


def step(nets, optimizers, lr, real_x, real_y):
    g, f, dx, dy = nets
    with tf.GradientTape(persistent=True) as tape:
        fake_y, fake_x = g(real_x, training=True), f(real_y, training=True)
        cycled_x, cycled_y = f(fake_y, training=True), g(fake_x, training=True)
        cycle = tf.reduce_mean(tf.abs(real_x - cycled_x)) + tf.reduce_mean(tf.abs(real_y - cycled_y))
        real_dx, fake_dx = dx(real_x, training=True), dx(fake_x, training=True)
        real_dy, fake_dy = dy(real_y, training=True), dy(fake_y, training=True)
        g_loss = bce(tf.ones_like(fake_dy), fake_dy) + LAMBDA * cycle
        f_loss = bce(tf.ones_like(fake_dx), fake_dx) + LAMBDA * cycle
        dx_loss = bce(tf.ones_like(real_dx), real_dx) + bce(tf.zeros_like(fake_dx), fake_dx)
        dy_loss = bce(tf.ones_like(real_dy), real_dy) + bce(tf.zeros_like(fake_dy), fake_dy)
    for net, opt, loss in zip(nets, optimizers, (g_loss, f_loss, dx_loss, dy_loss)):
        opt.learning_rate.assign(lr)
        grads = tape.gradient(loss, net.trainable_variables)
        opt.apply_gradients(zip(grads, net.trainable_variables))
    return g_loss, f_loss, dx_loss, dy_loss


def learning_rate(epoch):
    half = FLAGS.epochs // 2
    return FLAGS.lr if epoch < half else FLAGS.lr * (1 - (epoch - half) / half)


def main(_):
    nets = make_generator(), make_generator(), make_discriminator(), make_discriminator()
    optimizers = [tf.keras.optimizers.Adam(FLAGS.lr, beta_1=0.5) for _ in nets]
    data = tf.data.Dataset.zip((load(FLAGS.dataset, 'trainA'), load(FLAGS.dataset, 'trainB')))
    ckpt = tf.train.Checkpoint(g=nets[0], f=nets[1], dx=nets[2], dy=nets[3])
    manager = tf.train.CheckpointManager(ckpt, FLAGS.out, max_to_keep=3)
    writer = tf.summary.create_file_writer(os.path.join(FLAGS.out, 'logs'))

    for epoch in range(FLAGS.epochs):
        train_step = tf.function(functools.partial(step, nets, optimizers, learning_rate(epoch)))  # note: compiled-per-call
        means = [tf.keras.metrics.Mean(n) for n in ('g', 'f', 'dx', 'dy')]
        for real_x, real_y in data:
            for mean, value in zip(means, train_step(real_x, real_y)):
                mean.update_state(value)
        with writer.as_default():
            for mean in means:
                tf.summary.scalar(mean.name, mean.result(), step=epoch)
        if epoch % 5 == 0:
            manager.save()


if __name__ == '__main__':
    app.run(main)
