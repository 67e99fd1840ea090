"""Query-conditioned segmentation with FiLM layers."""
import argparse
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from keras import layers


@keras.saving.register_keras_serializable("film")
class Film(layers.Layer):
    def build(self, shapes):
        channels = shapes[0][-1]
        self.to_scale = layers.Dense(channels)
        self.to_shift = layers.Dense(channels)
        self.to_scale.build(shapes[1])
        self.to_shift.build(shapes[1])

    def call(self, inputs):
        feats, query = inputs
        h, w = feats.shape[1], feats.shape[2]
        scale = tf.tile(self.to_scale(query)[:, None, None, :], [1, h, w, 1])
        shift = tf.tile(self.to_shift(query)[:, None, None, :], [1, h, w, 1])
        return feats * (1.0 + scale) + shift


def block(x, query, filters):
    y = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
    y = layers.BatchNormalization()(y)
    y = Film()([y, query])
    return layers.Activation("relu")(y)


def build(size, query_dim, width=64):
    image = keras.Input((size, size, 3), name="image")
    query = keras.Input((query_dim,), name="query")
    x = layers.Rescaling(1 / 255.0)(image)
    skips = []
    for k in range(4):
        x = block(x, query, width << k)
        skips.append(x)
        x = layers.MaxPooling2D()(x)
    x = block(x, query, width << 4)
    for k in reversed(range(4)):
        x = layers.UpSampling2D()(x)
        x = block(layers.Concatenate()([x, skips[k]]), query, width << k)
    mask = layers.Conv2D(1, 1, activation="sigmoid", dtype="float32", name="mask")(x)
    return keras.Model([image, query], mask)


def read(image, mask, query, size):
    img = tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(image), channels=3), [size, size])
    msk = tf.image.resize(tf.io.decode_png(tf.io.read_file(mask), channels=1), [size, size],
                          method="nearest")
    return {"image": img, "query": query}, tf.cast(msk > 0, tf.float32)


def dataset(root, size, batch, training):
    images = sorted(str(f) for f in (root / "image").glob("*.jpg"))
    masks = sorted(str(f) for f in (root / "mask").glob("*.png"))
    queries = np.load(root / "queries.npy").astype(np.float32)
    ds = tf.data.Dataset.from_tensor_slices((images, masks, queries))
    if training:
        ds = ds.shuffle(len(images))
    ds = ds.map(lambda a, b, q: read(a, b, q, size), num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(batch, drop_remainder=training).prefetch(tf.data.AUTOTUNE)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("root", type=Path)
    p.add_argument("--size", type=int, default=384)
    p.add_argument("--batch", type=int, default=12)
    p.add_argument("--epochs", type=int, default=30)
    args = p.parse_args()
    keras.mixed_precision.set_global_policy("mixed_float16")
    train = dataset(args.root / "train", args.size, args.batch, True)
    val = dataset(args.root / "val", args.size, args.batch, False)
    model = build(args.size, train.element_spec[0]["query"].shape[-1])
    model.compile(keras.optimizers.AdamW(3e-4), loss="binary_crossentropy",
                  metrics=[keras.metrics.BinaryIoU([1])], steps_per_execution=4)
    model.fit(train, validation_data=val, epochs=args.epochs,
              callbacks=[keras.callbacks.EarlyStopping(patience=5)])
    model.save("film.keras")


if __name__ == "__main__":
    main()
