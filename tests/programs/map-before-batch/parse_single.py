# requires: tensorflow==2.8.0
import tensorflow as tf

SPEC = {
    "user": tf.io.FixedLenFeature([], tf.int64),
    "item": tf.io.FixedLenFeature([], tf.int64),
    "rating": tf.io.FixedLenFeature([], tf.float32),
}


def parse(serialized):
    return tf.io.parse_single_example(serialized, SPEC)


def ratings(files, batch_size):
    records = tf.data.TFRecordDataset(files, num_parallel_reads=8)
    parsed = records.shuffle(1 << 16).map(parse, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
    return parsed.batch(batch_size).prefetch(tf.data.AUTOTUNE)


class Factorization(tf.keras.Model):
    def __init__(self, users, items, width=32):
        super().__init__()
        self.users = tf.keras.layers.Embedding(users, width)
        self.items = tf.keras.layers.Embedding(items, width)

    def call(self, inputs):
        return tf.reduce_sum(self.users(inputs["user"]) * self.items(inputs["item"]), -1)


def train(files):
    model = Factorization(10_000, 2_000)
    model.compile("adagrad", "mse")
    data = ratings(files, 1024)
    pairs = data.map(lambda batch: (batch, batch["rating"]), num_parallel_calls=2)
    model.fit(pairs)
