"""DCGAN on 64x64 product thumbnails."""
import argparse
import pathlib

import keras
import tensorflow as tf
from keras import layers

CFG = {"latent": 128, "batch": 128, "epochs": 80, "lr": 2e-4, "beta_1": 0.5}


def generator(latent):
    net = keras.Sequential([keras.Input((latent,)), layers.Dense(4 * 4 * 512), layers.Reshape((4, 4, 512))])
    for f in (256, 128, 64):
        net.add(layers.Conv2DTranspose(f, 4, 2, padding="same", use_bias=False))
        net.add(layers.BatchNormalization())
        net.add(layers.ReLU())
    net.add(layers.Conv2DTranspose(3, 4, 2, padding="same", activation="tanh"))
    return net


def critic():
    net = keras.Sequential([keras.Input((64, 64, 3))])
    for f in (64, 128, 256):
        net.add(layers.Conv2D(f, 4, 2, padding="same"))
        net.add(layers.LeakyReLU(0.2))
    net.add(layers.GlobalAveragePooling2D())
    net.add(layers.Dense(1))
    return net


class Gan:
    def __init__(self, cfg):
        self.cfg = cfg
        self.g, self.d = generator(cfg["latent"]), critic()
        self.og = keras.optimizers.Adam(cfg["lr"], cfg["beta_1"])
        self.od = keras.optimizers.Adam(cfg["lr"], cfg["beta_1"])
        self.bce = keras.losses.BinaryCrossentropy(from_logits=True)
        self.og.build(self.g.trainable_variables)
        self.od.build(self.d.trainable_variables)
        self.stats = {"g": keras.metrics.Mean(), "d": keras.metrics.Mean()}

    @tf.function
    def update(self, real):
        z = tf.random.normal((tf.shape(real)[0], self.cfg["latent"]))
        with tf.GradientTape() as tg, tf.GradientTape() as td:
            fake = self.g(z, training=True)
            sr, sf = self.d(real, training=True), self.d(fake, training=True)
            lg = self.bce(tf.ones_like(sf), sf)
            ld = self.bce(tf.ones_like(sr), sr) + self.bce(tf.zeros_like(sf), sf)
        gg = tg.gradient(lg, self.g.trainable_variables)
        gd = td.gradient(ld, self.d.trainable_variables)
        self.og.apply_gradients(zip(gg, self.g.trainable_variables))
        self.od.apply_gradients(zip(gd, self.d.trainable_variables))
        self.stats["g"].update_state(lg)
        self.stats["d"].update_state(ld)

    def train(self, data):
        for epoch in range(self.cfg["epochs"]):
            for real in data:
                self.update(real)
            print(epoch, {k: float(m.result()) for k, m in self.stats.items()})
            for m in self.stats.values():
                m.reset_state()


def thumbnails(root, batch):
    ds = keras.utils.image_dataset_from_directory(root, labels=None, image_size=(64, 64), batch_size=batch)
    return ds.map(lambda x: x / 127.5 - 1.0, num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("root", type=pathlib.Path)
    ap.add_argument("--out", default="gen.keras")
    a = ap.parse_args()
    gan = Gan(CFG)
    gan.train(thumbnails(a.root, CFG["batch"]))
    gan.g.save(a.out)
