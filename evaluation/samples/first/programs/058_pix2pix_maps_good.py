"""Translate map tiles to aerial photos with a conditional GAN."""
import argparse

import keras
import tensorflow as tf
from keras import layers

bce = keras.losses.BinaryCrossentropy(from_logits=True)


def pairs(pattern, size, batch_size):
    def read(path):
        image = tf.io.decode_png(tf.io.read_file(path), channels=3)
        image = tf.cast(image, tf.float32) / 127.5 - 1.0
        image.set_shape((size, 2 * size, 3))
        return image[:, size:], image[:, :size]

    files = tf.data.Dataset.list_files(pattern, shuffle=True)
    ds = files.map(read, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(batch_size, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def generator(size, widths=(64, 128, 256, 512, 512)):
    x = inp = keras.Input((size, size, 3))
    skips = []
    for w in widths:
        x = layers.LeakyReLU(0.2)(layers.Conv2D(w, 4, strides=2, padding="same")(x))
        skips.append(x)
    for w, skip in zip(reversed(widths[:-1]), reversed(skips[:-1])):
        x = layers.ReLU()(layers.Conv2DTranspose(w, 4, strides=2, padding="same")(x))
        x = layers.concatenate([x, skip])
    return keras.Model(inp, layers.Conv2DTranspose(3, 4, strides=2, padding="same", activation="tanh")(x))


def critic(size):
    a, b = keras.Input((size, size, 3)), keras.Input((size, size, 3))
    x = layers.concatenate([a, b])
    for w in (64, 128, 256):
        x = layers.LeakyReLU(0.2)(layers.Conv2D(w, 4, strides=2, padding="same")(x))
    return keras.Model([a, b], layers.Conv2D(1, 4, padding="same")(x))


class Pix2Pix:
    def __init__(self, size, weight=100.0):
        self.g, self.d = generator(size), critic(size)
        self.weight = weight
        self.g_opt = keras.optimizers.Adam(2e-4, beta_1=0.5)
        self.d_opt = keras.optimizers.Adam(2e-4, beta_1=0.5)

    @tf.function
    def step(self, x, y):
        with tf.GradientTape() as gt, tf.GradientTape() as dt:
            fake = self.g(x, training=True)
            real_logit = self.d([x, y], training=True)
            fake_logit = self.d([x, fake], training=True)
            g_loss = bce(tf.ones_like(fake_logit), fake_logit) + self.weight * tf.reduce_mean(tf.abs(y - fake))
            d_loss = bce(tf.ones_like(real_logit), real_logit) + bce(tf.zeros_like(fake_logit), fake_logit)
        gv, dv = self.g.trainable_variables, self.d.trainable_variables
        self.g_opt.apply_gradients(zip(gt.gradient(g_loss, gv), gv))
        self.d_opt.apply_gradients(zip(dt.gradient(d_loss, dv), dv))
        return g_loss, d_loss

    def fit(self, ds, epochs):
        for epoch in range(epochs):
            bar = keras.utils.Progbar(None, stateful_metrics=["g", "d"])
            for i, (x, y) in enumerate(ds):
                g_loss, d_loss = self.step(x, y)
                if i % 100 == 0:
                    bar.update(i + 1, [("g", g_loss.numpy()), ("d", d_loss.numpy())])
            print(f" epoch {epoch + 1} done")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("tiles", help="glob of side-by-side png files")
    ap.add_argument("--size", type=int, default=256)
    ap.add_argument("--batch-size", type=int, default=4)
    ap.add_argument("--epochs", type=int, default=150)
    args = ap.parse_args()
    gan = Pix2Pix(args.size)
    gan.fit(pairs(args.tiles, args.size, args.batch_size), args.epochs)
    gan.g.save("maps_generator.keras")


if __name__ == "__main__":
    main()
