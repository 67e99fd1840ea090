# requires: tensorflow==2.15.*
"""Click prediction on TFRecords, several hundred million examples."""
import argparse

import tensorflow as tf

SPEC = {"label": tf.io.FixedLenFeature([], tf.float32), "dense": tf.io.FixedLenFeature([13], tf.float32)}
SPEC.update({"c%d" % i: tf.io.FixedLenFeature([], tf.int64) for i in range(26)})


def parse(record):
    f = tf.io.parse_single_example(record, SPEC)
    label = f.pop("label")
    return f, label


def log_dense(features, label):
    features["dense"] = tf.math.log1p(tf.maximum(features["dense"], 0.0))
    return features, label


class Input:
    def __init__(self, pattern, batch, shuffle=True):
        self.pattern = pattern
        self.batch = batch
        self.shuffle = shuffle

    def __call__(self):
        files = tf.data.Dataset.list_files(self.pattern, shuffle=self.shuffle)
        ds = files.interleave(tf.data.TFRecordDataset, cycle_length=8, num_parallel_calls=tf.data.AUTOTUNE)
        if self.shuffle:
            ds = ds.shuffle(100_000)
        ds = ds.map(parse, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
        ds = ds.map(log_dense, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
        return ds.batch(self.batch, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


class DCN(tf.keras.Model):
    def __init__(self, buckets=200_000, dim=16, crosses=3):
        super().__init__()
        self.tables = {"c%d" % i: tf.keras.layers.Embedding(buckets, dim) for i in range(26)}
        self.buckets = buckets
        self.cross = [tf.keras.layers.Dense(26 * dim + 13) for _ in range(crosses)]
        self.deep = tf.keras.Sequential([tf.keras.layers.Dense(w, "relu") for w in (512, 256)])
        self.out = tf.keras.layers.Dense(1)

    def call(self, features):
        parts = [t(tf.math.floormod(features[k], self.buckets)) for k, t in self.tables.items()]
        x0 = tf.concat(parts + [features["dense"]], -1)
        x = x0
        for layer in self.cross:
            x = x0 * layer(x) + x
        return self.out(tf.concat([x, self.deep(x0)], -1))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("train")
    p.add_argument("valid")
    p.add_argument("--batch", type=int, default=8192)
    args = p.parse_args()
    model = DCN()
    loss = tf.keras.losses.BinaryCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.Adam(1e-3), loss, metrics=[tf.keras.metrics.AUC(from_logits=True)])
    model.fit(Input(args.train, args.batch)(), validation_data=Input(args.valid, args.batch, shuffle=False)(), epochs=1)
    model.save("dcn.keras")


if __name__ == "__main__":
    main()
