# requires: tensorflow==2.16.1
import tensorflow as tf


class SeriesData:
    """Heart-rate series; one row per patient."""

    def __init__(self, rows, config):
        self.config = config
        self.dataset = tf.data.Dataset.from_tensor_slices(rows)
        self._squash()

    @staticmethod
    def squash(row):
        return tf.math.tanh(row / 40.0)

    def _squash(self):
        self.dataset = self.dataset.map(self.squash, num_parallel_calls=4)  # finding: map-before-batch

    def train_batches(self):
        ordered = self.dataset.shuffle(self.config["shuffle"])
        return ordered.batch(self.config["batch"])


def run(rows):
    data = SeriesData(rows, {"shuffle": 500, "batch": 32})
    encoder = tf.keras.Sequential([tf.keras.layers.Dense(8), tf.keras.layers.Dense(120)])
    for batch in data.train_batches():
        print(encoder(batch).shape)
