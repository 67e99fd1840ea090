# requires: tensorflow==2.12.*
"""Two-tower retrieval on MovieLens, after the usual tutorial but with timestamps."""

from typing import Dict, Text

import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds
import tensorflow_recommenders as tfrs


class Data:
    def __init__(self, name="movielens/1m", seed=42):
        self.ratings = tfds.load(f"{name}-ratings", split="train")
        self.movies = tfds.load(f"{name}-movies", split="train").map(lambda x: x["movie_title"])
        self.seed = seed
        self.ratings = self.ratings.map(  # finding: map-before-batch
            lambda x: {
                "movie_title": x["movie_title"],
                "user_id": x["user_id"],
                "timestamp": tf.cast(x["timestamp"], tf.float32) / 1e9,
            },
            num_parallel_calls=tf.data.AUTOTUNE,
        )

    def vocabularies(self):
        users = np.unique(np.concatenate(list(self.ratings.batch(10_000).map(lambda x: x["user_id"]))))
        titles = np.unique(np.concatenate(list(self.movies.batch(1_000))))
        return users, titles

    def splits(self, batch_size):
        shuffled = self.ratings.shuffle(1_000_000, seed=self.seed, reshuffle_each_iteration=False)
        train = shuffled.take(800_000).shuffle(100_000).batch(batch_size)
        test = shuffled.skip(800_000).take(200_000).batch(4096).cache()
        return train.prefetch(tf.data.AUTOTUNE), test


class UserTower(tf.keras.Model):
    def __init__(self, users):
        super().__init__()
        self.embed = tf.keras.Sequential([
            tf.keras.layers.StringLookup(vocabulary=users, mask_token=None),
            tf.keras.layers.Embedding(len(users) + 1, 32),
        ])
        self.mix = tf.keras.layers.Dense(32)

    def call(self, inputs):
        when = tf.expand_dims(inputs["timestamp"], -1)
        return self.mix(tf.concat([self.embed(inputs["user_id"]), when], axis=1))


class Retrieval(tfrs.Model):
    def __init__(self, data):
        super().__init__()
        users, titles = data.vocabularies()
        self.user = UserTower(users)
        self.movie = tf.keras.Sequential([
            tf.keras.layers.StringLookup(vocabulary=titles, mask_token=None),
            tf.keras.layers.Embedding(len(titles) + 1, 32),
        ])
        metrics = tfrs.metrics.FactorizedTopK(candidates=data.movies.batch(128).map(self.movie))  # finding: serial-map
        self.task = tfrs.tasks.Retrieval(metrics=metrics)

    def compute_loss(self, features: Dict[Text, tf.Tensor], training=False):
        return self.task(self.user(features), self.movie(features["movie_title"]), compute_metrics=not training)


def run(epochs=3):
    data = Data()
    train, test = data.splits(8192)
    model = Retrieval(data)
    model.compile(optimizer=tf.keras.optimizers.Adagrad(0.1))
    model.fit(train, epochs=epochs)
    for name, value in model.evaluate(test, return_dict=True).items():
        print(f"{name:60s} {value:.4f}")


if __name__ == "__main__":
    run()
