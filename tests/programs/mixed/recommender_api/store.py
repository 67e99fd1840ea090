import functools
import sqlite3

import numpy as np
import tensorflow as tf


class Catalog:
    def __init__(self, path):
        self.connection = sqlite3.connect(path)

    def features(self, user):
        row = self.connection.execute("select * from users where id = ?", (user,)).fetchone()
        return np.asarray(row[1:], np.float32)

    def vectors(self, users):
        return np.stack([self.features(user) for user in users])


@functools.lru_cache(maxsize=4)
def ranker(version):
    return tf.keras.models.load_model(f"rankers/{version}")


def fresh(version):
    return tf.keras.models.load_model(f"rankers/{version}")


class Lazy:
    _model = None

    @classmethod
    def model(cls):
        if cls._model is None:
            cls._model = tf.keras.models.load_model("rankers/latest")
        return cls._model
