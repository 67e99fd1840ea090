# requires: tensorflow==2.3.*
"""Two-tower retrieval trained on gzipped shards of interaction logs."""
import argparse
import logging
import os
from concurrent.futures import ThreadPoolExecutor

import tensorflow as tf

logger = logging.getLogger(__name__)

SCHEMA = {
    "user_id": tf.io.FixedLenFeature([], tf.string),
    "history": tf.io.VarLenFeature(tf.string),
    "item_id": tf.io.FixedLenFeature([], tf.string),
}


def check_shards(paths):
    """Which shards are empty? (one head request each, so in threads)"""
    with ThreadPoolExecutor(16) as pool:
        sizes = list(pool.map(tf.io.gfile.stat, paths))
    return [p for p, s in zip(paths, sizes) if s.length > 0]


def open_shard(path):
    return tf.data.TFRecordDataset(path, compression_type="GZIP", buffer_size=8 << 20)


def parse(batch):
    features = tf.io.parse_example(batch, SCHEMA)
    features["history"] = tf.sparse.to_dense(features["history"], default_value="")
    return features


def interactions(pattern, batch_size, cycle=8):
    paths = check_shards(tf.io.gfile.glob(pattern))
    logger.info("%d shards", len(paths))
    shards = tf.data.Dataset.from_tensor_slices(paths).shuffle(len(paths)).repeat()
    records = shards.interleave(open_shard, cycle_length=cycle, block_length=16)  # finding: serial-map
    records = records.shuffle(200_000).batch(batch_size)
    records = records.map(parse, num_parallel_calls=tf.data.experimental.AUTOTUNE)
    return records.prefetch(tf.data.experimental.AUTOTUNE)


class Tower(tf.keras.layers.Layer):
    def __init__(self, buckets, width):
        super().__init__()
        self.hashing = tf.keras.layers.experimental.preprocessing.Hashing(buckets)
        self.embedding = tf.keras.layers.Embedding(buckets, width)
        self.dense = tf.keras.layers.Dense(width)

    def call(self, ids):
        x = self.embedding(self.hashing(ids))
        if len(x.shape) == 3:
            x = tf.reduce_mean(x, axis=1)
        return tf.math.l2_normalize(self.dense(x), axis=-1)


class TwoTower(tf.keras.Model):
    def __init__(self, buckets=500_000, width=64, temperature=0.05):
        super().__init__()
        self.user = Tower(buckets, width)
        self.item = Tower(buckets, width)
        self.temperature = temperature

    def train_step(self, data):
        with tf.GradientTape() as tape:
            query = self.user(data["history"])
            items = self.item(data["item_id"])
            logits = tf.matmul(query, items, transpose_b=True) / self.temperature
            labels = tf.range(tf.shape(logits)[0])
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        return {"loss": loss}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--logs", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--batch-size", type=int, default=4096)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    model = TwoTower()
    model.compile(tf.keras.optimizers.Adagrad(0.1))
    model.fit(
        interactions(args.logs, args.batch_size),
        epochs=10,
        steps_per_epoch=20_000,
        callbacks=[tf.keras.callbacks.ModelCheckpoint(os.path.join(args.out, "ckpt"), save_weights_only=True)],
    )


if __name__ == "__main__":
    main()
