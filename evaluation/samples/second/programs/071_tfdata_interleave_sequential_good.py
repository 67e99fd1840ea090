import argparse
import json
from dataclasses import asdict, dataclass

import keras
import tensorflow as tf


@dataclass
class Spec:
    bucket: str = "gs://acme-ranking/2025-11"
    shards: int = 512
    dense: int = 39
    slots: int = 26
    buckets: int = 200_000
    batch: int = 8192
    compression: str = "GZIP"

    def names(self, split):
        return [f"{self.bucket}/{split}-{i:05d}-of-{self.shards:05d}.gz" for i in range(self.shards)]


class Records:
    def __init__(self, spec: Spec):
        self.spec = spec
        self.features = {
            "dense": tf.io.FixedLenFeature([spec.dense], tf.float32),
            "slots": tf.io.FixedLenFeature([spec.slots], tf.int64),
            "click": tf.io.FixedLenFeature([1], tf.float32),
        }

    def _raw(self, files):
        return tf.data.TFRecordDataset(
            files, compression_type=self.spec.compression, buffer_size=8 << 20,
            num_parallel_reads=tf.data.AUTOTUNE,
        )

    def _parse(self, blob):
        ex = tf.io.parse_example(blob, self.features)
        click = ex.pop("click")
        ex["slots"] = ex["slots"] % self.spec.buckets
        return ex, click

    def __call__(self, split, training):
        ds = self._raw(self.spec.names(split))
        if training:
            ds = ds.shuffle(200_000)
        ds = ds.batch(self.spec.batch, drop_remainder=training)
        return ds.map(self._parse, num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)


def ranker(spec, dim=32):
    dense = keras.Input((spec.dense,), name="dense")
    slots = keras.Input((spec.slots,), name="slots", dtype="int64")
    emb = keras.layers.Embedding(spec.buckets, dim)(slots)
    emb = keras.layers.Reshape((spec.slots * dim,))(emb)
    x = keras.layers.Concatenate()([keras.layers.BatchNormalization()(dense), emb])
    for units in (1024, 512, 256):
        x = keras.layers.Dense(units, activation="relu")(x)
    return keras.Model({"dense": dense, "slots": slots}, keras.layers.Dense(1)(x))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--config")
    ap.add_argument("--out", default="ranker.keras")
    args = ap.parse_args()
    spec = Spec(**json.load(open(args.config))) if args.config else Spec()
    data = Records(spec)
    net = ranker(spec)
    net.compile(
        keras.optimizers.Adagrad(0.02),
        keras.losses.BinaryCrossentropy(from_logits=True),
        metrics=[keras.metrics.AUC(from_logits=True, name="auc")],
        steps_per_execution=16,
    )
    net.fit(data("train", True), validation_data=data("valid", False), epochs=2)
    net.save(args.out)
    print(asdict(spec))


if __name__ == "__main__":
    main()
