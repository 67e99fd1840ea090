# requires: tensorflow==2.4.*
"""WGAN-GP on faces, Colab export."""
import glob
import os
import time

import tensorflow as tf
from tensorflow.keras import layers

LATENT = 128
BATCH = 64
CRITIC_STEPS = 5


def generator():
    return tf.keras.Sequential(
        [
            layers.Dense(8 * 8 * 256, input_shape=(LATENT,)),
            layers.Reshape((8, 8, 256)),
            layers.Conv2DTranspose(128, 4, 2, padding="same", activation="relu"),
            layers.Conv2DTranspose(64, 4, 2, padding="same", activation="relu"),
            layers.Conv2DTranspose(3, 4, 2, padding="same", activation="tanh"),
        ]
    )


def critic():
    return tf.keras.Sequential(
        [
            layers.Conv2D(64, 4, 2, padding="same", input_shape=(64, 64, 3)),
            layers.LeakyReLU(0.2),
            layers.Conv2D(128, 4, 2, padding="same"),
            layers.LeakyReLU(0.2),
            layers.Flatten(),
            layers.Dense(1),
        ]
    )


def penalty(C, real, fake):
    a = tf.random.uniform((tf.shape(real)[0], 1, 1, 1))
    mixed = real + a * (fake - real)
    with tf.GradientTape() as tape:
        tape.watch(mixed)
        out = C(mixed)
    g = tape.gradient(out, mixed)
    return tf.reduce_mean((tf.sqrt(tf.reduce_sum(g ** 2, [1, 2, 3]) + 1e-12) - 1.0) ** 2)


def train_epoch(G, C, g_opt, c_opt, data):
    @tf.function  # finding: compiled-per-call
    def critic_step(real):
        z = tf.random.normal((BATCH, LATENT))
        with tf.GradientTape() as tape:
            fake = G(z, training=True)
            loss = tf.reduce_mean(C(fake)) - tf.reduce_mean(C(real)) + 10.0 * penalty(C, real, fake)
        c_opt.apply_gradients(zip(tape.gradient(loss, C.trainable_variables), C.trainable_variables))
        return loss

    @tf.function  # finding: compiled-per-call
    def generator_step():
        z = tf.random.normal((BATCH, LATENT))
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(C(G(z, training=True)))
        g_opt.apply_gradients(zip(tape.gradient(loss, G.trainable_variables), G.trainable_variables))
        return loss

    c_loss = g_loss = 0.0
    for i, real in enumerate(data):
        c_loss = critic_step(real)
        if i % CRITIC_STEPS == 0:
            g_loss = generator_step()
    return float(c_loss), float(g_loss)


def read(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path), 3)
    image = tf.image.resize(tf.image.central_crop(image, 0.7), (64, 64))
    return image / 127.5 - 1.0


def main():
    files = glob.glob("/content/celeba/*.jpg")
    data = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files))
    data = data.map(read, num_parallel_calls=tf.data.AUTOTUNE).batch(BATCH, drop_remainder=True).prefetch(2)
    G, C = generator(), critic()
    g_opt = tf.keras.optimizers.Adam(1e-4, beta_1=0.0, beta_2=0.9)
    c_opt = tf.keras.optimizers.Adam(1e-4, beta_1=0.0, beta_2=0.9)
    os.makedirs("samples", exist_ok=True)
    fixed = tf.random.normal((16, LATENT))
    for epoch in range(200):
        started = time.time()
        losses = train_epoch(G, C, g_opt, c_opt, data)
        print(epoch, losses, time.time() - started)
        for i, image in enumerate(G(fixed)):
            tf.io.write_file(f"samples/{epoch}_{i}.png", tf.io.encode_png(tf.cast((image + 1) * 127.5, tf.uint8)))


if __name__ == "__main__":
    main()
