import sys

import tensorflow as tf
import yaml

from .model import DeepFM
from .trainer import Trainer


def read(pattern, batch, fields):
    spec = {
        "ids": tf.io.FixedLenFeature([fields], tf.int64),
        "click": tf.io.FixedLenFeature([1], tf.float32),
    }

    def parse(rows):
        parsed = tf.io.parse_example(rows, spec)
        return parsed["ids"], parsed["click"]

    files = tf.data.Dataset.list_files(pattern)
    rows = files.interleave(tf.data.TFRecordDataset, num_parallel_calls=tf.data.AUTOTUNE)
    rows = rows.shuffle(100_000).batch(batch)
    return rows.map(parse, num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)


def main(path):
    with open(path) as handle:
        config = yaml.safe_load(handle)
    train = read(config["train"], config["batch"], config["fields"])
    valid = read(config["valid"], config["batch"], config["fields"])
    results = {}
    for dim in config["dims"]:
        trainer = Trainer(DeepFM(config["vocab"], dim, config["hidden"]), config)
        results[dim] = trainer.fit(train, valid, config["epochs"])
    print(results)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
