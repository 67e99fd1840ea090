"""Clicks are learnt by a linear model over feature columns, read with the data set API."""

import tempfile
from pathlib import Path

import numpy as np
import tensorflow as tf

IMPRESSIONS = 8000
BATCH_SIZE = 200
SHOPS = 50
SCRATCH = tempfile.TemporaryDirectory()


def click_log():
    path = Path(SCRATCH.name) / "clicks.tfrecord"
    if not path.exists():
        rng = np.random.default_rng(52)
        with tf.io.TFRecordWriter(str(path)) as writer:
            for _ in range(IMPRESSIONS):
                shop = int(rng.integers(0, SHOPS))
                values = {
                    "shop": tf.train.Feature(int64_list=tf.train.Int64List(value=[shop])),
                    "price": tf.train.Feature(
                        float_list=tf.train.FloatList(value=rng.random(4))
                    ),
                    "click": tf.train.Feature(
                        float_list=tf.train.FloatList(value=[float(shop % 3 == 0)])
                    ),
                }
                features = tf.train.Features(feature=values)
                writer.write(tf.train.Example(features=features).SerializeToString())
    return str(path)


def parse_function(serialized):
    spec = {
        "shop": tf.io.FixedLenFeature([], tf.int64),
        "price": tf.io.FixedLenFeature([4], tf.float32),
        "click": tf.io.FixedLenFeature([], tf.float32),
    }
    features = tf.io.parse_single_example(serialized, spec)
    click = features.pop("click")
    return features, click


def linear_model(features):
    shops = tf.compat.v1.get_variable(
        "shops", [SHOPS], initializer=tf.compat.v1.zeros_initializer()
    )
    prices = tf.compat.v1.get_variable(
        "prices", [4], initializer=tf.compat.v1.zeros_initializer()
    )
    return tf.gather(shops, features["shop"]) + tf.linalg.matvec(features["price"], prices)


def main():
    path = click_log()
    with tf.Graph().as_default():
        dataset = (
            tf.data.TFRecordDataset(path)
            .prefetch(BATCH_SIZE * 10)
            .map(parse_function, num_parallel_calls=5)  # finding
            .repeat()
            .batch(BATCH_SIZE)
        )
        features, clicks = tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()
        logits = linear_model(features)
        loss = tf.reduce_mean(
            tf.nn.sigmoid_cross_entropy_with_logits(labels=clicks, logits=logits)
        )
        train = tf.compat.v1.train.AdagradOptimizer(0.5).minimize(loss)
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            losses = []
            for _ in range(IMPRESSIONS // BATCH_SIZE):
                value, _ = session.run([loss, train])
                losses.append(value)
    return losses


if __name__ == "__main__":
    print(main())
