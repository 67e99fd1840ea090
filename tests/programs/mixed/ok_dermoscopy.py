# requires: tensorflow==2.13.0
"""Skin-lesion classifier (ISIC), plain Keras."""
import csv
import pathlib
import sys

import tensorflow as tf

SIZE = 300
NAMES = ["akiec", "bcc", "bkl", "df", "mel", "nv", "vasc"]


class Lesions:
    options = {}

    def __init__(self, root, split):
        self.root = pathlib.Path(root)
        with open(self.root / f"{split}.csv") as fh:
            rows = list(csv.DictReader(fh))
        self.paths = [str(self.root / "jpg" / (r["image"] + ".jpg")) for r in rows]
        self.labels = [r["dx"] for r in rows]
        self.index = tf.keras.layers.StringLookup(vocabulary=NAMES, num_oov_indices=0)

    @staticmethod
    def read(path, label):
        im = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
        side = tf.reduce_min(tf.shape(im)[:2])
        top, left = (tf.shape(im)[0] - side) // 2, (tf.shape(im)[1] - side) // 2
        im = im[top:top + side, left:left + side]
        return tf.image.resize(im, (SIZE, SIZE), antialias=True), label

    def finish(self, im, label):
        return im / 127.5 - 1.0, tf.one_hot(self.index(label), len(NAMES))

    def source(self):
        return tf.data.Dataset.from_tensor_slices((self.paths, self.labels))

    def dataset(self, batch):
        ds = self.source().map(self.read, **self.options)
        ds = ds.batch(batch)
        return ds.map(self.finish, num_parallel_calls=2).prefetch(tf.data.AUTOTUNE)


class Training(Lesions):
    def source(self):
        return super().source().shuffle(len(self.paths))


class Unfreeze(tf.keras.callbacks.Callback):
    def __init__(self, base, epoch):
        super().__init__()
        self.base, self.at = base, epoch

    def on_epoch_begin(self, epoch, logs=None):
        if epoch == self.at:
            self.base.trainable = True
            self.model.compile(tf.keras.optimizers.Adam(1e-5), "categorical_crossentropy", ["accuracy"])
            self.model.train_function = self.model.make_train_function(force=True)


def classifier():
    base = tf.keras.applications.EfficientNetV2B0(include_top=False, pooling="avg", include_preprocessing=False)
    base.trainable = False
    inp = tf.keras.Input((SIZE, SIZE, 3))
    x = tf.keras.layers.RandomFlip()(inp)
    x = tf.keras.layers.RandomRotation(0.5)(x)
    x = tf.keras.layers.Dropout(0.4)(base(x, training=False))
    return base, tf.keras.Model(inp, tf.keras.layers.Dense(len(NAMES), "softmax")(x))


def main(root):
    base, model = classifier()
    model.compile(tf.keras.optimizers.Adam(1e-3), "categorical_crossentropy", ["accuracy"])
    stop = tf.keras.callbacks.EarlyStopping("val_loss", patience=6, restore_best_weights=True)
    model.fit(Training(root, "train").dataset(32), validation_data=Lesions(root, "val").dataset(64),
              epochs=40, callbacks=[stop, Unfreeze(base, 5)])
    model.save("isic.keras")


if __name__ == "__main__":
    main(sys.argv[1])
