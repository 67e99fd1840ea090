# /// script
# requires-python = ">=3.9,<3.11"
# dependencies = ["tensorflow==2.9.3", "numpy<2"]
# ///
"""Depth estimation from stereo pairs, training on the cluster image."""
import argparse
import os

import tensorflow as tf
from tensorflow import keras


class StereoPairs:
    def __init__(self, root, height, width):
        self.root, self.height, self.width = root, height, width

    def _png(self, folder, name, channels, dtype=tf.uint8):
        blob = tf.io.read_file(tf.strings.join([self.root, folder, name], separator="/"))
        return tf.cast(tf.io.decode_png(blob, channels, dtype), tf.float32)

    def _pair(self, name):
        both = tf.concat([self._png("left", name, 3), self._png("right", name, 3)], -1) / 255.0
        disp = self._png("disp", name, 1, tf.uint16) / 256.0
        stacked = tf.image.random_crop(tf.concat([both, disp], -1), (self.height, self.width, 7))
        return stacked[..., :6], stacked[..., 6:]

    def dataset(self, batch):
        names = sorted(os.listdir(os.path.join(self.root, "left")))
        ds = tf.data.Dataset.from_tensor_slices(names).shuffle(len(names))
        ds = ds.map(self._pair, num_parallel_calls=tf.data.AUTOTUNE)
        return ds.batch(batch, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def network(height, width):
    inp = keras.Input((height, width, 6))
    x, skips = inp, []
    for f in (32, 64, 128, 256):
        x = keras.layers.Conv2D(f, 3, strides=2, padding="same", activation="relu")(x)
        skips.append(x)
    for f, skip in zip((128, 64, 32), reversed(skips[:-1])):
        x = keras.layers.Conv2DTranspose(f, 4, strides=2, padding="same", activation="relu")(x)
        x = keras.layers.Concatenate()([x, skip])
    return keras.Model(inp, keras.layers.Conv2DTranspose(1, 4, strides=2, padding="same", activation="softplus")(x))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root")
    ap.add_argument("--batch", type=int, default=16)
    ap.add_argument("--epochs", type=int, default=50)
    args = ap.parse_args()
    h, w = 320, 960
    data = StereoPairs(args.root, h, w).dataset(args.batch)
    net, opt, mean = network(h, w), keras.optimizers.Adam(2e-4), keras.metrics.Mean()

    @tf.function
    def step(x, y):
        valid = tf.cast(y > 0, tf.float32)
        with tf.GradientTape() as tape:
            err = tf.abs(net(x, training=True) - y) * valid
            loss = tf.reduce_sum(err) / (tf.reduce_sum(valid) + 1.0)
        opt.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
        mean.update_state(loss)

    for epoch in range(args.epochs):
        for x, y in data:
            step(x, y)
        print(epoch, float(mean.result()))
        mean.reset_state()
        net.save_weights(f"stereo_{epoch:03d}.h5")


if __name__ == "__main__":
    main()
