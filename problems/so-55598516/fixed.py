"""How many steps an epoch has: the examples of the record files are counted before training."""

import tempfile
from pathlib import Path

import numpy as np
import tensorflow as tf

EXAMPLES = 3000
SHARDS = 2
BATCH = 64
SCRATCH = tempfile.TemporaryDirectory()


def example(values, label):
    feature = {
        "text": tf.train.Feature(float_list=tf.train.FloatList(value=values)),
        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
    }
    return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()


def record_files():
    rng = np.random.default_rng(16)
    paths = [str(Path(SCRATCH.name) / f"part-{shard}.tfrecord") for shard in range(SHARDS)]
    for path in paths:
        if not Path(path).exists():
            with tf.io.TFRecordWriter(path) as writer:
                for _ in range(EXAMPLES // SHARDS):
                    writer.write(example(rng.random(24), int(rng.integers(0, 3))))
    return paths


def count_examples(paths):
    records = tf.data.TFRecordDataset(paths).batch(1024)
    return int(records.reduce(np.int64(0), lambda total, batch: total + tf.size(batch, tf.int64)))


def main():
    paths = record_files()
    count = count_examples(paths)
    return {"examples": count, "steps": -(-count // BATCH)}


if __name__ == "__main__":
    print(main())
