# requires: tensorflow==2.10.0
# Two-tower retrieval model for playlist continuation. Export of a notebook.
import json
import pathlib

import numpy as np
import pandas as pd
import tensorflow as tf

DATA = pathlib.Path("data/spotify_mpd")
EMB = 64
BATCH = 8192

events = pd.read_parquet(DATA / "events.parquet", columns=["pid", "track", "artist", "hour", "dur_ms"])
meta = json.loads((DATA / "vocab.json").read_text())

track_ix = tf.keras.layers.StringLookup(vocabulary=meta["tracks"])
artist_ix = tf.keras.layers.StringLookup(vocabulary=meta["artists"])


def encoder(tables, hours=24):
    """Returns the function that turns a raw event into model features."""
    lookups = {name: t for name, t in tables.items()}

    def encode(row):
        out = {k: lookups[k](row[k]) for k in lookups}
        out["pid"] = tf.cast(row["pid"], tf.int32)
        out["hour"] = tf.one_hot(row["hour"], hours)
        out["dur"] = tf.math.log1p(tf.cast(row["dur_ms"], tf.float32)) / 16.0
        return out

    return encode


def make(frame, training):
    cols = {c: frame[c].to_numpy() for c in frame.columns}
    ds = tf.data.Dataset.from_tensor_slices(cols)
    if training:
        ds = ds.shuffle(1_000_000, reshuffle_each_iteration=True)
    steps = [lambda d: d.map(encoder({"track": track_ix, "artist": artist_ix}), tf.data.AUTOTUNE),  # finding: map-before-batch
             lambda d: d.batch(BATCH, drop_remainder=training),
             lambda d: d.prefetch(tf.data.AUTOTUNE)]
    for s in steps:
        ds = s(ds)
    return ds


class Towers(tf.keras.Model):
    def __init__(self, n_lists, n_tracks, n_artists):
        super().__init__()
        self.lists = tf.keras.layers.Embedding(n_lists, EMB)
        self.tracks = tf.keras.layers.Embedding(n_tracks, EMB)
        self.artists = tf.keras.layers.Embedding(n_artists, EMB)
        self.q = tf.keras.Sequential([tf.keras.layers.Dense(128, "relu"), tf.keras.layers.Dense(EMB)])
        self.c = tf.keras.Sequential([tf.keras.layers.Dense(128, "relu"), tf.keras.layers.Dense(EMB)])

    def call(self, f):
        query = self.q(tf.concat([self.lists(f["pid"]), f["hour"]], 1))
        cand = self.c(tf.concat([self.tracks(f["track"]), self.artists(f["artist"]), f["dur"][:, None]], 1))
        return tf.matmul(query, cand, transpose_b=True)

    def train_step(self, f):
        with tf.GradientTape() as tape:
            logits = self(f, training=True)
            labels = tf.range(tf.shape(logits)[0])
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        return {"loss": loss}


rng = np.random.default_rng(3)
keep = rng.random(len(events)) < 0.98
model = Towers(int(events.pid.max()) + 1, track_ix.vocabulary_size(), artist_ix.vocabulary_size())
model.compile(tf.keras.optimizers.Adagrad(0.1))
model.fit(make(events[keep], True), epochs=5)
model.save_weights("towers.ckpt")
