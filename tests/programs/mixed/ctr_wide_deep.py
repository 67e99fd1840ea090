# -*- coding: utf-8 -*-
"""Wide & deep CTR model over Criteo-like TFRecords, distributed with MirroredStrategy."""
import functools
import logging
import os

import tensorflow as tf

LOG = logging.getLogger("ctr")
N_DENSE, N_CAT = 13, 26
GLOBAL_BATCH = 16384

SPEC = {"label": tf.io.FixedLenFeature([], tf.int64)}
SPEC.update({f"I{i}": tf.io.FixedLenFeature([], tf.float32, default_value=0.0) for i in range(1, N_DENSE + 1)})
SPEC.update({f"C{i}": tf.io.FixedLenFeature([], tf.int64, default_value=0) for i in range(1, N_CAT + 1)})


def _decode(proto):
    ex = tf.io.parse_single_example(proto, SPEC)
    y = tf.cast(ex.pop("label"), tf.float32)
    return ex, y


def _decode_many(protos):
    ex = tf.io.parse_example(protos, SPEC)
    y = tf.cast(ex.pop("label"), tf.float32)
    return ex, y


def _stack(ex, y):
    dense = tf.stack([ex[f"I{i}"] for i in range(1, N_DENSE + 1)], axis=-1)
    cat = tf.stack([ex[f"C{i}"] for i in range(1, N_CAT + 1)], axis=-1)
    return {"dense": tf.math.log1p(tf.nn.relu(dense)), "cat": cat}, y


def _keep(ex, y, rate):
    # negative down-sampling, needs single rows
    return tf.logical_or(y > 0.5, tf.random.uniform([]) < rate)


def training_input(pattern, ctx=None):
    files = tf.data.Dataset.list_files(pattern)
    if ctx is not None:
        files = files.shard(ctx.num_input_pipelines, ctx.input_pipeline_id)
    records = files.interleave(tf.data.TFRecordDataset, cycle_length=32, num_parallel_calls=tf.data.AUTOTUNE, deterministic=False)
    bs = GLOBAL_BATCH if ctx is None else ctx.get_per_replica_batch_size(GLOBAL_BATCH)
    return (
        records.shuffle(500_000)
        .repeat()
        .map(_decode, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
        .batch(bs, drop_remainder=True)
        .map(_stack, num_parallel_calls=tf.data.AUTOTUNE)
        .prefetch(tf.data.AUTOTUNE)
    )


def calibration_input(pattern, rate=0.1):
    records = tf.data.TFRecordDataset(tf.io.gfile.glob(pattern), num_parallel_reads=8)
    rows = records.batch(4096).map(_decode_many, num_parallel_calls=tf.data.AUTOTUNE).unbatch()
    rows = rows.filter(functools.partial(_keep, rate=rate))
    return rows.batch(4096).map(_stack, num_parallel_calls=tf.data.AUTOTUNE)


class WideDeep(tf.keras.Model):
    def __init__(self, buckets=1_000_000, dim=16, hidden=(512, 256, 128)):
        super().__init__()
        self.buckets = buckets
        self.emb = tf.keras.layers.Embedding(buckets, dim)
        self.wide = tf.keras.layers.Embedding(buckets, 1)
        self.mlp = tf.keras.Sequential([tf.keras.layers.Dense(h, activation="relu") for h in hidden] + [tf.keras.layers.Dense(1)])

    def call(self, inputs):
        ids = tf.math.floormod(inputs["cat"], self.buckets)
        e = tf.reshape(self.emb(ids), [tf.shape(ids)[0], N_CAT * 16])
        deep = self.mlp(tf.concat([inputs["dense"], e], -1))
        return tf.squeeze(deep, -1) + tf.reduce_sum(self.wide(ids), [1, 2])


def run():
    logging.basicConfig(level=logging.INFO)
    root = os.environ["CTR_ROOT"]
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        model = WideDeep()
        model.compile(tf.keras.optimizers.Adam(1e-3), tf.keras.losses.BinaryCrossentropy(from_logits=True), [tf.keras.metrics.AUC(from_logits=True)])
    model.fit(training_input(f"{root}/train/*.tfrecord"), steps_per_epoch=20_000, epochs=3)
    LOG.info("calibration %s", model.evaluate(calibration_input(f"{root}/cal/*.tfrecord"), return_dict=True))


if __name__ == "__main__":
    run()
