"""Monocular depth training with visual monitoring."""
import argparse
from pathlib import Path

import keras
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import tensorflow as tf
from keras import layers


class DepthPreview(keras.callbacks.Callback):
    def __init__(self, samples, out_dir):
        super().__init__()
        self.images, self.depths = samples
        self.out_dir = Path(out_dir)
        self.out_dir.mkdir(parents=True, exist_ok=True)
        self.count = 0

    def _draw(self, pred):
        fig, axes = plt.subplots(3, len(pred), figsize=(2 * len(pred), 6))
        for k, p in enumerate(pred):
            axes[0, k].imshow(self.images[k])
            axes[1, k].imshow(self.depths[k][..., 0], cmap="magma")
            axes[2, k].imshow(p[..., 0], cmap="magma")
        for ax in axes.flat:
            ax.axis("off")
        fig.savefig(self.out_dir / f"preview_{self.count:06d}.png")
        plt.close(fig)
        self.count += 1

    def on_train_batch_end(self, batch, logs=None):
        self._draw(self.model.predict(self.images, verbose=0))


def read_pair(rgb, depth):
    image = tf.io.decode_png(tf.io.read_file(rgb), channels=3)
    target = tf.io.decode_png(tf.io.read_file(depth), channels=1, dtype=tf.uint16)
    image = tf.image.resize(image, [240, 320]) / 255.0
    target = tf.image.resize(target, [240, 320]) / 10_000.0
    return image, target


def dataset(root, batch, training):
    rgb = sorted(str(f) for f in (root / "rgb").glob("*.png"))
    depth = sorted(str(f) for f in (root / "depth").glob("*.png"))
    ds = tf.data.Dataset.from_tensor_slices((rgb, depth))
    if training:
        ds = ds.shuffle(len(rgb))
    ds = ds.map(read_pair, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(batch, drop_remainder=training).prefetch(tf.data.AUTOTUNE)


def unet(width=48):
    inp = keras.Input((240, 320, 3))
    skips, x = [], inp
    for k in range(4):
        x = layers.Conv2D(width << k, 3, padding="same", activation="relu")(x)
        x = layers.BatchNormalization()(x)
        skips.append(x)
        x = layers.MaxPooling2D()(x)
    x = layers.Conv2D(width << 4, 3, padding="same", activation="relu")(x)
    for k in reversed(range(4)):
        x = layers.UpSampling2D()(x)
        x = layers.Concatenate()([x, skips[k]])
        x = layers.Conv2D(width << k, 3, padding="same", activation="relu")(x)
    return keras.Model(inp, layers.Conv2D(1, 1, activation="sigmoid", dtype="float32")(x))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("root", type=Path)
    p.add_argument("--batch", type=int, default=16)
    p.add_argument("--epochs", type=int, default=25)
    args = p.parse_args()
    keras.mixed_precision.set_global_policy("mixed_float16")
    train = dataset(args.root / "train", args.batch, True)
    val = dataset(args.root / "val", args.batch, False)
    images, depths = next(iter(val.unbatch().batch(6).as_numpy_iterator()))
    model = unet()
    model.compile(keras.optimizers.Adam(2e-4), loss="mae")
    model.fit(train, validation_data=val, epochs=args.epochs,
              callbacks=[DepthPreview((images, depths), "previews"),
                         keras.callbacks.ModelCheckpoint("depth.keras", save_best_only=True)])


if __name__ == "__main__":
    main()
