"""WGAN-GP for 64x64 material textures, custom loop on Keras 3 / TF 2.21."""
import dataclasses
import pathlib

import keras
import tensorflow as tf
from keras import layers


@dataclasses.dataclass
class Conf:
    data: str = "textures/*.png"
    out: str = "runs/wgan"
    epochs: int = 300
    batch: int = 64
    latent: int = 128
    n_critic: int = 5
    gp: float = 10.0


def generator(c):
    return keras.Sequential([
        keras.Input((c.latent,)),
        layers.Dense(4 * 4 * 512), layers.Reshape((4, 4, 512)),
        *[m for f in (256, 128, 64) for m in (layers.Conv2DTranspose(f, 4, 2, "same"), layers.BatchNormalization(), layers.ReLU())],
        layers.Conv2DTranspose(3, 4, 2, "same", activation="tanh"),
    ])


def critic():
    return keras.Sequential([
        keras.Input((64, 64, 3)),
        *[m for f in (64, 128, 256, 512) for m in (layers.Conv2D(f, 4, 2, "same"), layers.LeakyReLU(0.2))],
        layers.Flatten(), layers.Dense(1),
    ])


def textures(c):
    def load(p):
        img = tf.io.decode_png(tf.io.read_file(p), 3)
        return tf.image.resize(img, (64, 64)) / 127.5 - 1.0

    files = tf.data.Dataset.list_files(c.data)
    return files.map(load, num_parallel_calls=tf.data.AUTOTUNE).cache().batch(c.batch, drop_remainder=True).prefetch(4)


class Trainer:
    def __init__(self, c: Conf):
        self.c = c
        self.gen, self.cri = generator(c), critic()
        self.g_opt, self.c_opt = keras.optimizers.Adam(1e-4, 0.0, 0.9), keras.optimizers.Adam(1e-4, 0.0, 0.9)
        self.g_opt.build(self.gen.trainable_variables)
        self.c_opt.build(self.cri.trainable_variables)
        self.fixed = tf.random.normal([16, c.latent])
        self.render = tf.function(lambda z: tf.cast((self.gen(z, training=False) + 1) * 127.5, tf.uint8))

    def penalty(self, real, fake):
        mix = tf.random.uniform([self.c.batch, 1, 1, 1])
        x = mix * real + (1 - mix) * fake
        with tf.GradientTape() as tape:
            tape.watch(x)
            s = self.cri(x, training=True)
        g = tape.gradient(s, x)
        return tf.reduce_mean((tf.norm(tf.reshape(g, [self.c.batch, -1]), axis=1) - 1.0) ** 2)

    def critic_step(self, real):
        z = tf.random.normal([self.c.batch, self.c.latent])
        with tf.GradientTape() as tape:
            fake = self.gen(z, training=True)
            loss = tf.reduce_mean(self.cri(fake, training=True)) - tf.reduce_mean(self.cri(real, training=True))
            loss += self.c.gp * self.penalty(real, fake)
        self.c_opt.apply_gradients(zip(tape.gradient(loss, self.cri.trainable_variables), self.cri.trainable_variables))
        return loss

    def generator_step(self):
        z = tf.random.normal([self.c.batch, self.c.latent])
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(self.cri(self.gen(z, training=True), training=True))
        self.g_opt.apply_gradients(zip(tape.gradient(loss, self.gen.trainable_variables), self.gen.trainable_variables))
        return loss

    def run_epoch(self, ds):
        c_step = tf.function(self.critic_step)  # finding: compiled-per-call

        @tf.function  # finding: compiled-per-call
        def g_step():
            return self.generator_step()

        c_mean, g_mean = keras.metrics.Mean(), keras.metrics.Mean()
        for n, real in enumerate(ds):
            c_mean.update_state(c_step(real))
            if n % self.c.n_critic == 0:
                g_mean.update_state(g_step())
        return float(c_mean.result()), float(g_mean.result())

    def fit(self):
        out = pathlib.Path(self.c.out)
        out.mkdir(parents=True, exist_ok=True)
        ds = textures(self.c)
        for epoch in range(self.c.epochs):
            print(epoch, *self.run_epoch(ds))
            for i, img in enumerate(self.render(self.fixed)):
                tf.io.write_file(str(out / f"{epoch:03d}_{i:02d}.png"), tf.io.encode_png(img))


if __name__ == "__main__":
    Trainer(Conf()).fit()
