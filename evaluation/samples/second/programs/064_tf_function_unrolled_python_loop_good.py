import argparse

import keras
import numpy as np
import tensorflow as tf
from keras import layers

STEPS = 250


def unet(size, width):
    img, t = keras.Input((size, size, 3)), keras.Input((1,))
    emb = layers.Dense(width, activation="swish")(t)
    x = layers.Conv2D(width, 3, padding="same")(img)
    skips = []
    for mult in (1, 2, 4):
        x = layers.Conv2D(width * mult, 3, padding="same", activation="swish")(x)
        x = layers.Add()([x, layers.Dense(width * mult)(emb)[:, None, None, :]])
        skips.append(x)
        x = layers.AveragePooling2D()(x)
    x = layers.Conv2D(width * 4, 3, padding="same", activation="swish")(x)
    for mult in (4, 2, 1):
        x = layers.Concatenate()([layers.UpSampling2D()(x), skips.pop()])
        x = layers.Conv2D(width * mult, 3, padding="same", activation="swish")(x)
    return keras.Model([img, t], layers.Conv2D(3, 3, padding="same")(x))


class Diffuser(keras.Model):
    def __init__(self, size=64, width=64, **kw):
        super().__init__(**kw)
        self.size = size
        self.net = unet(size, width)
        beta = np.linspace(1e-4, 0.04, STEPS, dtype="float32")
        self.beta = tf.constant(beta)
        self.abar = tf.constant(np.cumprod(1 - beta))
        self.schedule = np.arange(STEPS)[::-1]

    def call(self, x, t, training=False):
        return self.net([x, tf.cast(t, tf.float32)[:, None] / STEPS], training=training)

    def train_step(self, x):
        t = tf.random.uniform((tf.shape(x)[0],), 0, STEPS, tf.int32)
        eps = tf.random.normal(tf.shape(x))
        a = tf.gather(self.abar, t)[:, None, None, None]
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(tf.sqrt(a) * x + tf.sqrt(1 - a) * eps, t, training=True) - eps) ** 2)
        self.optimizer.apply(tape.gradient(loss, self.trainable_variables), self.trainable_variables)
        return {"loss": loss}

    @tf.function
    def sample(self, noise):
        x = noise
        n = tf.shape(noise)[0]
        for k in tf.range(STEPS - 1, -1, -1):
            eps = self(x, tf.fill((n,), k))
            b, a = self.beta[k], self.abar[k]
            x = (x - b / tf.sqrt(1 - a) * eps) / tf.sqrt(1 - b)
            x += tf.sqrt(b) * tf.random.normal(tf.shape(x)) * tf.cast(k > 0, tf.float32)
        return tf.clip_by_value(x, -1, 1)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root")
    ap.add_argument("--epochs", type=int, default=100)
    args = ap.parse_args()
    ds = keras.utils.image_dataset_from_directory(args.root, labels=None, image_size=(64, 64), batch_size=64)
    ds = ds.map(lambda x: x / 127.5 - 1, num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)
    model = Diffuser()
    model.compile(optimizer=keras.optimizers.AdamW(2e-4))
    model.fit(ds, epochs=args.epochs)
    grid = model.sample(tf.random.normal((16, 64, 64, 3)))
    np.save("samples.npy", grid.numpy())


if __name__ == "__main__":
    main()
