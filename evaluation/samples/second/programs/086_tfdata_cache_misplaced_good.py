import argparse
import math
import pathlib

import keras
import tensorflow as tf

AUTO = tf.data.AUTOTUNE


class XrayInput:
    def __init__(self, root, side, batch):
        self.root = pathlib.Path(root)
        self.side, self.batch = side, batch

    def files(self, split):
        pos = sorted(map(str, (self.root / split / "pneumonia").glob("*.png")))
        neg = sorted(map(str, (self.root / split / "normal").glob("*.png")))
        return pos + neg, [1.0] * len(pos) + [0.0] * len(neg)

    def _decode(self, path, y):
        img = tf.io.decode_png(tf.io.read_file(path), channels=1)
        img = tf.image.resize(img, (self.side, self.side))
        return tf.cast(img, tf.uint8), y

    def _perturb(self, img, y):
        img = tf.image.random_flip_left_right(tf.cast(img, tf.float32))
        return tf.image.random_contrast(img, 0.8, 1.2), y

    def training(self):
        names, y = self.files("train")
        ds = tf.data.Dataset.from_tensor_slices((names, y))
        ds = ds.map(self._decode, num_parallel_calls=AUTO).cache()
        ds = ds.shuffle(2048).repeat()
        ds = ds.map(self._perturb, num_parallel_calls=AUTO)
        return ds.batch(self.batch).prefetch(AUTO), math.ceil(len(names) / self.batch)

    def validation(self):
        ds = tf.data.Dataset.from_tensor_slices(self.files("val"))
        return ds.map(self._decode, num_parallel_calls=AUTO).batch(self.batch).cache().prefetch(AUTO)


def network(side):
    base = keras.applications.DenseNet121(include_top=False, weights=None, input_shape=(side, side, 1), pooling="avg")
    inp = keras.Input((side, side, 1))
    x = keras.layers.Rescaling(1 / 127.5, -1)(inp)
    return keras.Model(inp, keras.layers.Dense(1, dtype="float32")(base(x)))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root")
    ap.add_argument("--side", type=int, default=256)
    ap.add_argument("--batch", type=int, default=64)
    ap.add_argument("--epochs", type=int, default=60)
    args = ap.parse_args()
    keras.mixed_precision.set_global_policy("mixed_float16")
    source = XrayInput(args.root, args.side, args.batch)
    train, steps = source.training()
    net = network(args.side)
    net.compile(
        keras.optimizers.AdamW(1e-4),
        keras.losses.BinaryCrossentropy(from_logits=True),
        metrics=[keras.metrics.AUC(from_logits=True, name="auc")],
    )
    stop = keras.callbacks.EarlyStopping("val_auc", mode="max", patience=8, restore_best_weights=True)
    net.fit(train, steps_per_epoch=steps, epochs=args.epochs, validation_data=source.validation(), callbacks=[stop])
    net.save("xray.keras")


if __name__ == "__main__":
    main()
