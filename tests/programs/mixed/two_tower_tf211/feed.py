"""Two-tower retrieval on click logs."""
import argparse
import itertools

import numpy as np
import pandas as pd
import tensorflow as tf

N_ITEMS = 200_000


def negatives(user, item):
    others = tf.random.uniform([20], 0, N_ITEMS, dtype=tf.int64)
    return user, tf.concat([[item], others], 0)


def scale(user, items, age, price):
    age = tf.clip_by_value(age, 0.0, 100.0) / 100.0
    price = tf.math.log1p(price)
    return {"user": user, "items": items, "age": age, "price": price}


def logged(user, item):
    tf.print("seen", user)
    return user, item


class ClickFeed:
    schema = {
        "user": tf.io.FixedLenFeature([], tf.int64),
        "item": tf.io.FixedLenFeature([], tf.int64),
    }

    def __init__(self, frame: pd.DataFrame, vocabulary):
        self.frame = frame
        self.table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(vocabulary, np.arange(len(vocabulary), dtype=np.int64)), -1
        )

    def _ids(self, user, item):
        return self.table.lookup(user), item

    def pairs(self):
        return tf.data.Dataset.from_tensor_slices(
            (self.frame["user"].to_numpy(), self.frame["item"].to_numpy())
        )

    def training(self, batch):
        ds = self.pairs().shuffle(100_000)
        ds = ds.map(self._ids)  # finding: serial-map, map-before-batch
        ds = ds.map(negatives)  # finding: serial-map
        return ds.batch(batch).prefetch(tf.data.AUTOTUNE)

    def evaluation(self, batch):
        # the default is parallel here, but the work is per row
        ds = self.pairs().map(lambda user, item: (user, tf.one_hot(item % 32, 32)))  # finding: map-before-batch
        return ds.batch(batch)

    def sharded(self, files, batch):
        options = tf.data.Options()
        options.autotune.enabled = True
        ds = tf.data.Dataset.from_tensor_slices(files).interleave(  # finding: serial-map
            lambda f: tf.data.TFRecordDataset(f), cycle_length=4
        )
        ds = ds.batch(batch)
        ds = ds.map(lambda raw: tf.io.parse_example(raw, self.schema))
        return ds.with_options(options)


def side_features(frame, batch):
    columns = tuple(frame[c].to_numpy() for c in ("user", "item", "age", "price"))
    ds = tf.data.Dataset.from_tensor_slices(columns)
    ds = ds.map(scale)  # finding: map-before-batch
    ds = ds.shuffle(10_000)
    return ds.batch(batch)


def side_features_batched(frame, batch):
    columns = tuple(frame[c].to_numpy() for c in ("user", "item", "age", "price"))
    return tf.data.Dataset.from_tensor_slices(columns).batch(batch).map(scale)


class TwoTower(tf.keras.Model):
    def __init__(self, users, dim=64):
        super().__init__()
        self.users = tf.keras.layers.Embedding(users + 1, dim)
        self.items = tf.keras.layers.Embedding(N_ITEMS, dim)

    def call(self, inputs, training=False):
        user, items = inputs
        u = self.users(user)
        return tf.einsum("bd,bnd->bn", u, self.items(items))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("clicks")
    parser.add_argument("--batch", type=int, default=2048)
    args = parser.parse_args()
    frame = pd.read_parquet(args.clicks)
    feed = ClickFeed(frame, frame["user"].unique())
    model = TwoTower(frame["user"].nunique())
    optimizer = tf.keras.optimizers.Adagrad(0.05)

    @tf.function
    def step(user, items):
        with tf.GradientTape() as tape:
            scores = model((user, items), training=True)
            loss = tf.reduce_mean(
                tf.keras.losses.sparse_categorical_crossentropy(tf.zeros_like(user), scores, from_logits=True)
            )
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        return loss

    for epoch in itertools.count():
        for user, items in feed.training(args.batch):
            loss = step(user, items)
        print(epoch, float(loss))
        if float(loss) < 0.5 or epoch == 20:
            break


if __name__ == "__main__":
    main()
