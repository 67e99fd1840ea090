"""Click-through-rate model on TFRecord logs."""
import argparse

import keras
import tensorflow as tf
from keras import layers

DENSE = 13
SPARSE = 26
BUCKETS = 100_000
SPEC = {
    "dense": tf.io.FixedLenFeature([DENSE], tf.float32),
    "sparse": tf.io.FixedLenFeature([SPARSE], tf.int64),
    "click": tf.io.FixedLenFeature([], tf.float32),
}


def to_features(record):
    ex = tf.io.parse_single_example(record, SPEC)
    dense = tf.math.log1p(tf.maximum(ex["dense"], 0.0))
    sparse = tf.math.floormod(ex["sparse"], BUCKETS)
    return {"dense": dense, "sparse": sparse}, ex["click"]


def logs(pattern, batch_size, training):
    files = tf.data.Dataset.list_files(pattern, shuffle=training)
    ds = files.interleave(
        tf.data.TFRecordDataset, cycle_length=16, num_parallel_calls=tf.data.AUTOTUNE, deterministic=not training
    )
    if training:
        ds = ds.shuffle(500_000)
    ds = ds.map(to_features, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.batch(batch_size, drop_remainder=training)
    return ds.prefetch(tf.data.AUTOTUNE)


class Cross(layers.Layer):
    def __init__(self, rank, **kw):
        super().__init__(**kw)
        self.rank = rank

    def build(self, shape):
        self.down = layers.Dense(self.rank, use_bias=False)
        self.up = layers.Dense(shape[-1])

    def call(self, x0, x):
        return x0 * self.up(self.down(x)) + x


def model(emb, depth, rank):
    dense = keras.Input((DENSE,), name="dense")
    sparse = keras.Input((SPARSE,), dtype="int64", name="sparse")
    e = layers.Embedding(BUCKETS, emb)(sparse)
    x0 = layers.concatenate([dense, layers.Reshape((SPARSE * emb,))(e)])
    x = x0
    for _ in range(depth):
        x = Cross(rank)(x0, x)
    x = layers.Dense(256, activation="relu")(x)
    return keras.Model({"dense": dense, "sparse": sparse}, layers.Dense(1)(x))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--train", required=True)
    ap.add_argument("--valid", required=True)
    ap.add_argument("--batch-size", type=int, default=8192)
    ap.add_argument("--epochs", type=int, default=2)
    args = ap.parse_args()
    net = model(emb=16, depth=3, rank=64)
    net.compile(
        optimizer=keras.optimizers.Adam(1e-3),
        loss=keras.losses.BinaryCrossentropy(from_logits=True),
        metrics=[keras.metrics.AUC(from_logits=True)],
    )
    net.fit(
        logs(args.train, args.batch_size, True),
        validation_data=logs(args.valid, args.batch_size, False),
        epochs=args.epochs,
        verbose=2,
    )
    net.save("ctr.keras")


if __name__ == "__main__":
    main()
