"""Deep & cross network for display ads; 380M rows a day as TFRecord."""
import sys
from pathlib import Path

import keras
import tensorflow as tf

DENSE = [f"i{k}" for k in range(13)]
CATEG = [f"c{k}" for k in range(26)]
BUCKETS = 200_000

schema = {name: tf.io.FixedLenFeature([], tf.float32, default_value=0.0) for name in DENSE}
schema.update({name: tf.io.FixedLenFeature([], tf.string, default_value="") for name in CATEG})
schema["label"] = tf.io.FixedLenFeature([], tf.float32)


def read_row(payload):
    row = tf.io.parse_single_example(payload, schema)
    label = row.pop("label")
    dense = tf.stack([tf.math.log1p(tf.maximum(row[n], 0.0)) for n in DENSE], axis=-1)
    ids = tf.stack([tf.strings.to_hash_bucket_fast(row[n], BUCKETS) for n in CATEG], axis=-1)
    return {"dense": dense, "ids": ids}, label


def read_rows(payloads):
    row = tf.io.parse_example(payloads, schema)
    label = row.pop("label")
    dense = tf.stack([tf.math.log1p(tf.maximum(row[n], 0.0)) for n in DENSE], axis=-1)
    ids = tf.stack([tf.strings.to_hash_bucket_fast(row[n], BUCKETS) for n in CATEG], axis=-1)
    return {"dense": dense, "ids": ids}, label


def day(path, batch=8192, train=True):
    files = sorted(str(p) for p in Path(path).glob("part-*"))
    ds = tf.data.TFRecordDataset(files, num_parallel_reads=tf.data.AUTOTUNE)
    if not train:
        return ds.batch(batch).map(read_rows, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.map(read_row, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
    ds = ds.shuffle(batch * 8)
    ds = ds.batch(batch, drop_remainder=True)
    return ds.prefetch(tf.data.AUTOTUNE)


def thumbnails(path):
    """Creative images for the cold-start tower: sizes differ, so one at a time."""
    def load(name):
        pic = tf.io.decode_image(tf.io.read_file(name), channels=3, expand_animations=False)
        return tf.image.resize(pic, (96, 96))

    names = tf.data.Dataset.list_files(path + "/*.jpg", shuffle=False)
    return names.map(load, num_parallel_calls=tf.data.AUTOTUNE).batch(256)


def negatives(ds, n_items):
    """One sampled negative for each row; must differ from row to row."""
    def attach(feats, label):
        feats["neg"] = tf.random.uniform([], 0, n_items, dtype=tf.int64)
        return feats, label

    return ds.unbatch().map(attach, num_parallel_calls=8).batch(8192)


@keras.saving.register_keras_serializable()
class Cross(keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1], shape[-1]), initializer="glorot_uniform")
        self.b = self.add_weight(shape=(shape[-1],), initializer="zeros")

    def call(self, x0, x):
        return x0 * (keras.ops.matmul(x, self.w) + self.b) + x


def dcn():
    dense = keras.Input((13,), name="dense")
    ids = keras.Input((26,), dtype="int64", name="ids")
    emb = keras.layers.Flatten()(keras.layers.Embedding(BUCKETS, 16)(ids))
    x0 = x = keras.layers.Concatenate()([dense, emb])
    for _ in range(3):
        x = Cross()(x0, x)
    deep = keras.layers.Dense(512, activation="relu")(x0)
    out = keras.layers.Dense(1)(keras.layers.Concatenate()([x, deep]))
    return keras.Model([dense, ids], out)


if __name__ == "__main__":
    net = dcn()
    net.compile("adam", keras.losses.BinaryCrossentropy(from_logits=True), metrics=[keras.metrics.AUC(from_logits=True)])
    for d in sys.argv[1:-1]:
        net.fit(day(d), epochs=1)
    print(net.evaluate(day(sys.argv[-1], train=False)))
