# requires: tensorflow==2.4
"""Utterance intent classifier: features were bagged upstream and stored in GZIP records."""
import glob
import json
import sys
from functools import partial

import tensorflow as tf
from tensorflow import keras

MAX_FEATS = 64


def read_config(path):
    cfg = {"batch": 512, "dim": 128, "epochs": 10, "cycle": 4}
    with open(path) as fh:
        cfg.update(json.load(fh))
    return cfg


class Records:
    schema = {
        "ids": tf.io.FixedLenFeature([MAX_FEATS], tf.int64),
        "tfidf": tf.io.FixedLenFeature([MAX_FEATS], tf.float32),
        "intent": tf.io.FixedLenFeature([], tf.string),
    }

    def __init__(self, cfg):
        self.cfg = cfg
        names = cfg["intents"]
        init = tf.lookup.KeyValueTensorInitializer(names, list(range(len(names))), tf.string, tf.int64)
        self.table = tf.lookup.StaticHashTable(init, 0)
        self.depth = len(names)

    def _open(self, name):
        return tf.data.TFRecordDataset(name, compression_type="GZIP", buffer_size=1 << 20)

    def shards(self, pattern):
        names = tf.data.Dataset.from_tensor_slices(sorted(glob.glob(pattern)))
        return names.interleave(self._open, cycle_length=self.cfg["cycle"], block_length=16)  # finding: serial-map

    def parse(self, batch):
        f = tf.io.parse_example(batch, self.schema)
        return f["ids"], f["tfidf"], f["intent"]

    def finish(self, ids, w, intent, smooth=0.0):
        y = tf.one_hot(self.table.lookup(intent), self.depth)
        y = y * (1.0 - smooth) + smooth / self.depth
        return (ids, tf.math.log1p(w)), y

    def dataset(self, pattern, train):
        ds = self.shards(pattern).batch(2048).map(self.parse, tf.data.AUTOTUNE).unbatch()
        tail = partial(self.finish, smooth=0.1 if train else 0.0)
        chain = [
            (train, lambda d: d.shuffle(1 << 16)),
            (True, lambda d: d.map(tail, num_parallel_calls=tf.data.AUTOTUNE)),  # finding: map-before-batch
            (True, lambda d: d.batch(self.cfg["batch"])),
            (True, lambda d: d.prefetch(2)),
        ]
        for wanted, op in chain:
            if wanted:
                ds = op(ds)
        return ds


def network(cfg, n_out):
    ids = keras.Input((MAX_FEATS,), dtype="int64")
    w = keras.Input((MAX_FEATS,))
    e = keras.layers.Embedding(cfg["vocab"], cfg["dim"])(ids)
    x = keras.layers.Dot(1)([w, e])
    for u in (256, 256):
        x = keras.layers.Dense(u, "relu")(x)
        x = keras.layers.Dropout(0.3)(x)
    return keras.Model([ids, w], keras.layers.Dense(n_out, "softmax")(x))


def main(path):
    cfg = read_config(path)
    rec = Records(cfg)
    model = network(cfg, rec.depth)
    model.compile("adam", "categorical_crossentropy", ["accuracy"])
    model.fit(rec.dataset(cfg["train"], True), validation_data=rec.dataset(cfg["dev"], False),
              epochs=cfg["epochs"],
              callbacks=[keras.callbacks.EarlyStopping(patience=2, restore_best_weights=True)])
    model.save(cfg["out"])


if __name__ == "__main__":
    main(sys.argv[1])
