import os
import time

import numpy as np
import tensorflow as tf
from networks import discriminator, generator, inverter

LATENT = 100
FOLDER = os.environ.get("FACES", "faces")

bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)
G, D = generator(LATENT), discriminator()
g_opt, d_opt = tf.keras.optimizers.Adam(1e-4), tf.keras.optimizers.Adam(1e-4)


def read(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    return tf.image.resize(image, (64, 64)) / 127.5 - 1.0


def faces(batch):
    files = tf.data.Dataset.list_files(os.path.join(FOLDER, "*.jpg"))
    return files.map(read, num_parallel_calls=tf.data.AUTOTUNE).shuffle(2000).batch(batch).prefetch(1)


def train_step(images):
    noise = tf.random.normal([tf.shape(images)[0], LATENT])
    with tf.GradientTape() as gt, tf.GradientTape() as dt:
        fake = G(noise, training=True)
        real_out, fake_out = D(images, training=True), D(fake, training=True)
        g_loss = bce(tf.ones_like(fake_out), fake_out)
        d_loss = bce(tf.ones_like(real_out), real_out) + bce(tf.zeros_like(fake_out), fake_out)
    g_opt.apply_gradients(zip(gt.gradient(g_loss, G.trainable_variables), G.trainable_variables))
    d_opt.apply_gradients(zip(dt.gradient(d_loss, D.trainable_variables), D.trainable_variables))
    return g_loss, d_loss


def train(epochs):
    data = faces(128)
    for epoch in range(epochs):
        start = time.time()
        for images in data:  # finding: eager-loop
            g_loss, d_loss = train_step(images)
        print(epoch, float(g_loss), float(d_loss), time.time() - start)
        gallery(epoch)


def gallery(epoch, n=16):
    import matplotlib.pyplot as plt

    codes = tf.random.normal([n, LATENT], seed=1)
    pictures = G(codes, training=False)
    figure = plt.figure(figsize=(4, 4))
    for i in range(n):
        axis = figure.add_subplot(4, 4, i + 1)
        axis.imshow((pictures[i] + 1) / 2)
        axis.axis("off")
    figure.savefig(f"epoch-{epoch:03d}.png")
    plt.close(figure)


def codes(n):
    rows = []
    for _ in range(n):
        rows.append(tf.random.normal([LATENT]))  # finding: looped-draw
    return tf.stack(rows)


def invert():
    model = inverter(LATENT)
    model.compile("adam", "mse")
    z = codes(20_000)
    images = np.concatenate([G(z[i : i + 256]).numpy() for i in range(0, 20_000, 256)])
    model.fit(images, z.numpy(), batch_size=64, epochs=3)
    model.save("inverter.h5")


def interpolate(a, b, steps=10):
    frames = []
    for weight in np.linspace(0, 1, steps):
        frames.append(G(((1 - weight) * a + weight * b)[None])[0].numpy())
    return frames


if __name__ == "__main__":
    train(50)
    invert()
