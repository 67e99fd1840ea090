"""Two-tower retrieval model for a film catalogue."""
from typing import Dict, Text

import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds
import tensorflow_recommenders as tfrs

ratings = tfds.load("movielens/1m-ratings", split="train")
movies = tfds.load("movielens/1m-movies", split="train")

ratings = ratings.map(lambda x: {  # finding: map-before-batch
    "movie_title": x["movie_title"],
    "user_id": x["user_id"],
    "age": tf.math.log1p(tf.cast(x["raw_user_age"], tf.float32)),
}, num_parallel_calls=tf.data.AUTOTUNE)
movies = movies.map(lambda x: x["movie_title"], num_parallel_calls=tf.data.AUTOTUNE)

tf.random.set_seed(42)
shuffled = ratings.shuffle(1_000_000, seed=42, reshuffle_each_iteration=False)
train = shuffled.take(800_000)
test = shuffled.skip(800_000).take(200_000)

unique_titles = np.unique(np.concatenate(list(movies.batch(1000))))
unique_users = np.unique(np.concatenate(list(ratings.batch(100_000).map(lambda x: x["user_id"]))))


class UserTower(tf.keras.Model):
    def __init__(self, dim):
        super().__init__()
        self.lookup = tf.keras.layers.StringLookup(vocabulary=unique_users, mask_token=None)
        self.embedding = tf.keras.layers.Embedding(len(unique_users) + 1, dim)
        self.dense = tf.keras.layers.Dense(dim)

    def call(self, inputs):
        ids = self.embedding(self.lookup(inputs["user_id"]))
        age = tf.reshape(inputs["age"], [-1, 1])
        return self.dense(tf.concat([ids, age], axis=1))


class FilmModel(tfrs.Model):
    def __init__(self, dim=32):
        super().__init__()
        self.user_model = UserTower(dim)
        self.movie_model = tf.keras.Sequential([
            tf.keras.layers.StringLookup(vocabulary=unique_titles, mask_token=None),
            tf.keras.layers.Embedding(len(unique_titles) + 1, dim),
        ])
        self.task = tfrs.tasks.Retrieval(
            metrics=tfrs.metrics.FactorizedTopK(
                candidates=movies.batch(128).map(self.movie_model, num_parallel_calls=8)))

    def compute_loss(self, features: Dict[Text, tf.Tensor], training=False):
        user = self.user_model(features)
        movie = self.movie_model(features["movie_title"])
        return self.task(user, movie, compute_metrics=not training)


model = FilmModel()
model.compile(optimizer=tf.keras.optimizers.Adagrad(0.1))
model.fit(train.batch(8192), epochs=5)
model.evaluate(test.batch(4096), return_dict=True)
