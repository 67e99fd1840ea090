"""Glucose forecaster with weight averaging, custom training step."""
import argparse

import keras
import numpy as np
import tensorflow as tf
from keras import layers


def network(window, channels):
    inp = keras.Input((window, channels))
    x = inp
    for rate in (1, 2, 4, 8, 16):
        y = layers.Conv1D(96, 3, dilation_rate=rate, padding="causal", activation="gelu")(x)
        y = layers.LayerNormalization()(y)
        x = y if x.shape[-1] != 96 else layers.Add()([x, y])
    x = layers.GlobalAveragePooling1D()(x)
    return keras.Model(inp, layers.Dense(6, dtype="float32")(x))


class AveragedTrainer:
    def __init__(self, net, lr, ema_every=10, momentum=0.99):
        self.net = net
        self.average = keras.models.clone_model(net)
        self.average.set_weights(net.get_weights())
        self.opt = keras.optimizers.Adam(lr)
        self.huber = keras.losses.Huber()
        self.ema_every, self.momentum = ema_every, momentum
        self.running = keras.metrics.Mean()
        self.seen = tf.Variable(0, dtype=tf.int64, trainable=False)

    def _update_average(self):
        for a, w in zip(self.average.trainable_variables, self.net.trainable_variables):
            a.assign(self.momentum * a + (1.0 - self.momentum) * w)

    @tf.function(reduce_retracing=True)
    def train_step(self, x, y):
        with tf.GradientTape() as tape:
            loss = self.huber(y, self.net(x, training=True))
        grads = tape.gradient(loss, self.net.trainable_variables)
        self.opt.apply_gradients(zip(grads, self.net.trainable_variables))
        self.seen.assign_add(1)
        self.running.update_state(loss)
        if self.seen % self.ema_every == 0:
            self._update_average()
        return loss

    def fit(self, ds, epochs):
        for epoch in range(epochs):
            for x, y in ds:
                loss = self.train_step(x, y)
            print(f"epoch {epoch} last loss {float(loss):.4f}")


def windows(path, window, batch):
    series = np.load(path).astype(np.float32)
    ds = keras.utils.timeseries_dataset_from_array(
        series[:-6], series[window:, :1], window, batch_size=batch, shuffle=True)

    def targets(x, y):
        return x, tf.repeat(y, 6, axis=-1)

    return ds.map(targets, num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("series")
    p.add_argument("--window", type=int, default=144)
    p.add_argument("--batch", type=int, default=512)
    p.add_argument("--epochs", type=int, default=25)
    args = p.parse_args()
    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    ds = windows(args.series, args.window, args.batch)
    channels = ds.element_spec[0].shape[-1]
    trainer = AveragedTrainer(network(args.window, channels), lr=5e-4)
    trainer.fit(ds, args.epochs)
    trainer.average.save("glucose.keras")


if __name__ == "__main__":
    main()
