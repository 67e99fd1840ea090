from functools import partial

from tensorflow import io
from tensorflow.data import Dataset, TFRecordDataset
from tensorflow.data.experimental import AUTOTUNE
import tensorflow as tf

SPEC = {
    "ids": io.FixedLenFeature([64], tf.int64),
    "score": io.FixedLenFeature([], tf.float32),
}
IMAGE = {"image": io.FixedLenFeature([], tf.string), "label": io.FixedLenFeature([], tf.int64)}


def parse(serialized):
    row = io.parse_single_example(serialized, SPEC)
    return row["ids"], row["score"]


def parse_image(serialized, side):
    row = io.parse_single_example(serialized, IMAGE)
    image = io.decode_png(row["image"], 3)
    image.set_shape((None, None, 3))
    return tf.image.resize(image, (side, side)), row["label"]


def centered(ids, score):
    return ids, (score - 3.0) / 2.0


class Reader:
    def __init__(self, files, size):
        self.files = files
        self.size = size

    def __enter__(self):
        self.raw = Dataset.from_tensor_slices(self.files).interleave(TFRecordDataset)  # finding: serial-map
        return self

    def __exit__(self, *problem):
        self.raw = None

    def texts(self):
        rows = self.raw.shuffle(4096)
        rows = rows.map(parse, num_parallel_calls=AUTOTUNE)  # finding: map-before-batch
        rows = rows.map(centered, num_parallel_calls=AUTOTUNE)  # finding: map-before-batch
        return rows.batch(self.size, drop_remainder=True).prefetch(AUTOTUNE)

    def images(self, side):
        rows = self.raw.map(partial(parse_image, side=side), AUTOTUNE)
        rows = rows.batch(self.size)
        rows = rows.map(lambda x, y: (x / 255.0, tf.one_hot(y, 5)), num_parallel_calls=AUTOTUNE)
        return rows.prefetch(1)

    def count(self):
        n = 0
        for _ in self.raw:  # finding: record-count
            n += 1
        return n


def longest(ds):
    best = 0
    for ids, _ in ds:
        best = max(best, int(tf.math.count_nonzero(ids)))
    return best


def grouped(ds, size):
    def key(ids, score):
        return tf.math.count_nonzero(ids) // 16

    return ds.apply(
        tf.data.experimental.group_by_window(key, lambda _, window: window.batch(size), size)
    )


def one_hot_labels(files, classes):
    ds = TFRecordDataset(files)
    ds = ds.map(lambda s: io.parse_single_example(s, IMAGE)["label"], AUTOTUNE)  # finding: map-before-batch
    return ds.batch(256).map(lambda y: tf.one_hot(y, classes), AUTOTUNE).prefetch(1)


def ragged(path, size):
    ds = tf.data.TextLineDataset(path)
    ds = ds.map(lambda line: tf.strings.to_number(tf.strings.split(line)), AUTOTUNE)
    return ds.padded_batch(size, padded_shapes=[None]).prefetch(AUTOTUNE)
