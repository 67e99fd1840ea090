"""Image denoiser trained with a Laplacian pyramid loss."""
import argparse
from pathlib import Path

import keras
import tensorflow as tf
from keras import layers

KERNEL = tf.constant([1.0, 4.0, 6.0, 4.0, 1.0]) / 16.0


def blur(x):
    k = tf.tensordot(KERNEL, KERNEL, axes=0)[:, :, None, None]
    k = tf.tile(k, [1, 1, 3, 1])
    return tf.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], "SAME")


def down(x):
    return blur(x)[:, ::2, ::2, :]


def up(x, like):
    return tf.image.resize(x, tf.shape(like)[1:3])


@tf.function
def pyramid_distance(a, b, level):
    if level == 0:
        return tf.reduce_mean(tf.abs(a - b))
    la, lb = down(a), down(b)
    here = tf.reduce_mean(tf.abs((a - up(la, a)) - (b - up(lb, b))))
    return here + 2.0 * pyramid_distance(la, lb, level - 1)


class Denoiser(keras.Model):
    def __init__(self, width=64, depth=12, levels=5):
        super().__init__()
        self.levels = levels
        self.convs = [layers.Conv2D(width, 3, padding="same", activation="relu")
                      for _ in range(depth)]
        self.out = layers.Conv2D(3, 3, padding="same", dtype="float32")

    def call(self, noisy):
        x = noisy
        for conv in self.convs:
            x = conv(x)
        return tf.cast(noisy, tf.float32) - self.out(x)

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        return pyramid_distance(y, y_pred, self.levels)


def noisy_pair(path):
    image = tf.io.decode_png(tf.io.read_file(path), channels=3)
    clean = tf.image.random_crop(tf.cast(image, tf.float32) / 255.0, [128, 128, 3])
    sigma = tf.random.uniform([], 0.02, 0.2)
    return clean + sigma * tf.random.normal([128, 128, 3]), clean


def load(folder, batch):
    files = sorted(str(f) for f in folder.glob("*.png"))
    ds = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files))
    ds = ds.map(noisy_pair, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(batch, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("images", type=Path)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--epochs", type=int, default=40)
    args = p.parse_args()
    keras.mixed_precision.set_global_policy("mixed_float16")
    model = Denoiser()
    model.compile(optimizer=keras.optimizers.Adam(1e-4), steps_per_execution=4)
    model.fit(load(args.images, args.batch), epochs=args.epochs,
              callbacks=[keras.callbacks.EarlyStopping("loss", patience=5)])
    model.save_weights("denoiser.weights.h5")


if __name__ == "__main__":
    main()
