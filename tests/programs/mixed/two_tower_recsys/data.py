import json

import numpy as np
import tensorflow as tf


class Vocab:
    def __init__(self, path):
        with open(path) as fh:
            v = json.load(fh)
        self.user = tf.keras.layers.StringLookup(vocabulary=v["user"])
        self.item = tf.keras.layers.StringLookup(vocabulary=v["item"])
        self.item_names = np.array(["[UNK]"] + v["item"])

    def encode(self, row):
        return {"user": self.user(row["user"]),
                "item": self.item(row["item"]),
                "hist": self.item(tf.strings.split(row["hist"], "|").to_tensor("", [None, 50]))}


def base(csv, batch):
    return tf.data.experimental.make_csv_dataset(
        csv, batch, select_columns=["user", "item", "hist"], num_epochs=1,
        column_defaults=["", "", ""], shuffle_buffer_size=100000)


def interactions(csv, vocab, batch):
    steps = [vocab.encode]
    ds = base(csv, batch)
    for fn in steps:
        ds = ds.map(fn)  # finding: serial-map
    return ds.prefetch(4)
