# requires: tensorflow==2.4.*
"""Camera traps: trains on shards that were written by an Apache Beam job."""
import contextlib
import dataclasses
import os
import typing

import tensorflow as tf

SHARDS = 64


@dataclasses.dataclass(frozen=True)
class Source:
    root: str
    name: str
    shards: int = SHARDS

    def paths(self):
        return [
            os.path.join(self.root, f"{self.name}-{i:05d}-of-{self.shards:05d}.tfrecord")
            for i in range(self.shards)
        ]


class Stage(typing.NamedTuple):
    title: str
    function: typing.Callable
    parallel: typing.Optional[int] = None


SPEC = {
    "image/encoded": tf.io.FixedLenFeature([], tf.string),
    "image/class/label": tf.io.FixedLenFeature([], tf.int64),
    "image/location": tf.io.FixedLenFeature([], tf.string),
}


def parse(record):
    return tf.io.parse_single_example(record, SPEC)


def decode(example):
    image = tf.io.decode_jpeg(example["image/encoded"], channels=3)
    image = tf.image.resize(image, [299, 299])
    return image, example["image/class/label"]


def night_to_grey(image, label):
    is_night = tf.reduce_max(tf.math.reduce_std(image, axis=-1)) < 4.0
    image = tf.cond(is_night, lambda: tf.tile(image[..., :1], [1, 1, 3]), lambda: image)
    return image, label


def flip(image, label):
    return tf.image.random_flip_left_right(image), label


TRAINING = [
    Stage("decode", decode, 8),
    Stage("night", night_to_grey),
    Stage("flip", flip, 8),
]


def run_stages(dataset, stages):
    for stage in stages:
        with tf.name_scope(stage.title):
            dataset = dataset.map(stage.function, num_parallel_calls=stage.parallel)
    return dataset


def training_set(source, batch_size):
    records = tf.data.TFRecordDataset([f"{source.root}/train-{i}.tfrecord" for i in range(12)])
    examples = records.shuffle(10_000).map(lambda r: decode(parse(r)))  # finding: serial-map
    return examples.batch(batch_size).prefetch(1)


def validation_set(source, batch_size):
    records = tf.data.TFRecordDataset(source.paths(), num_parallel_reads=4)
    examples = records.map(parse, num_parallel_calls=8)
    return run_stages(examples, TRAINING[:1]).batch(batch_size)


def mixed_set(sources, batch_size):
    """A season each, in equal parts."""
    seasons = [tf.data.TFRecordDataset(source.paths()) for source in sources]
    records = tf.data.experimental.sample_from_datasets(seasons, seed=1)
    examples = records.map(parse).map(decode)  # finding: serial-map
    return examples.batch(batch_size).prefetch(1)


@contextlib.contextmanager
def strategy_scope(gpus):
    strategy = tf.distribute.MirroredStrategy() if gpus > 1 else tf.distribute.get_strategy()
    with strategy.scope():
        yield strategy


def main(root="gs://traps", gpus=1, batch_size=32):
    seasons = [Source(root, f"season{i}") for i in range(1, 7)]
    with strategy_scope(gpus):
        model = tf.keras.applications.InceptionV3(weights=None, classes=48)
        model.compile("rmsprop", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(training_set(seasons[0], batch_size), epochs=2)
    model.fit(mixed_set(seasons, batch_size), validation_data=validation_set(seasons[0], batch_size), epochs=12)
    model.save(os.path.join(root, "model"))


if __name__ == "__main__":
    main()
