# requires: tensorflow==1.9.*
"""WGAN on spectrograms. Samples are written while it trains."""
import os

import numpy as np
import scipy.io.wavfile
import tensorflow as tf

from glob import glob

DIM, BATCH, Z = 64, 64, 100


def generator(z, reuse=None):
    with tf.variable_scope("G", reuse=reuse):
        x = tf.reshape(tf.layers.dense(z, 8 * 8 * 4 * DIM, tf.nn.relu), [-1, 8, 8, 4 * DIM])
        for f in (2 * DIM, DIM):
            x = tf.layers.conv2d_transpose(x, f, 5, 2, "same", activation=tf.nn.relu)
        return tf.layers.conv2d_transpose(x, 1, 5, 2, "same", activation=tf.tanh)


def critic(x, reuse=None):
    with tf.variable_scope("D", reuse=reuse):
        for f in (DIM, 2 * DIM, 4 * DIM):
            x = tf.nn.leaky_relu(tf.layers.conv2d(x, f, 5, 2, "same"))
        return tf.layers.dense(tf.layers.flatten(x), 1)


def batches(folder):
    data = np.concatenate([np.load(f) for f in glob(os.path.join(folder, "*.npy"))])[..., None]
    while True:
        np.random.shuffle(data)
        for i in range(0, len(data) - BATCH, BATCH):
            yield data[i : i + BATCH]


def invert(spectrogram, iterations=30):
    """Griffin-Lim, in TensorFlow since it was there."""
    frames = tf.placeholder(tf.complex64, spectrogram.shape)  # finding: graph-growth
    signal = tf.contrib.signal.inverse_stft(frames, 126, 32)
    again = tf.contrib.signal.stft(signal, 126, 32)
    guess = spectrogram.astype(np.complex64)
    for _ in range(iterations):
        with tf.Session() as sess:  # finding: session-per-step
            est = sess.run(again, {frames: guess})
        guess = spectrogram * np.exp(1j * np.angle(est))[: len(spectrogram)]
    with tf.Session() as sess:  # finding: session-per-step
        return sess.run(signal, {frames: guess})


def write_samples(images, step, folder="samples"):
    for n, image in enumerate(images[:8]):
        wave = invert(np.exp(3 * image[..., 0]))
        scipy.io.wavfile.write(os.path.join(folder, "%06d_%d.wav" % (step, n)), 16000, wave.astype(np.float32))


def main(folder, steps=100000):
    real = tf.placeholder(tf.float32, [BATCH, 64, 64, 1])
    z = tf.random_normal([BATCH, Z])
    fake = generator(z)
    d_real, d_fake = critic(real), critic(fake, True)
    eps = tf.random_uniform([BATCH, 1, 1, 1])
    mixed = eps * real + (1 - eps) * fake
    slope = tf.norm(tf.layers.flatten(tf.gradients(critic(mixed, True), mixed)[0]), axis=1)
    d_loss = tf.reduce_mean(d_fake - d_real) + 10 * tf.reduce_mean((slope - 1) ** 2)
    g_loss = -tf.reduce_mean(d_fake)
    opt = tf.train.AdamOptimizer(1e-4, 0.5, 0.9)
    d_step = opt.minimize(d_loss, var_list=tf.trainable_variables("D"))
    g_step = opt.minimize(g_loss, var_list=tf.trainable_variables("G"))
    feed = batches(folder)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(steps):
            for _ in range(5):
                sess.run(d_step, {real: next(feed)})
            sess.run(g_step)
            if step % 1000 == 0:
                write_samples(sess.run(fake), step)


if __name__ == "__main__":
    main("spectrograms")
