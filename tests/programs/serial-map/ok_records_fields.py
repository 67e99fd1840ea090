# requires: tensorflow==2.4.*
"""Satellite tiles: every stage brings the number of its threads along."""
import dataclasses
import functools
import json
import typing

import tensorflow as tf

AUTO = tf.data.experimental.AUTOTUNE


@dataclasses.dataclass
class Loader:
    pattern: str
    read: typing.Callable
    threads: int = AUTO

    def dataset(self):
        files = tf.data.Dataset.list_files(self.pattern)
        return files.map(self.read, num_parallel_calls=self.threads)


class Step(typing.NamedTuple):
    function: typing.Callable
    threads: int


def read_tile(path):
    bands = tf.io.decode_raw(tf.io.read_file(path), tf.uint16)
    return tf.reshape(tf.cast(bands, tf.float32), [256, 256, 4])


def rotate(tile):
    return tf.image.rot90(tile, tf.random.uniform([], 0, 4, tf.int32))


def crop(tile, size):
    return tf.image.random_crop(tile, [size, size, 4])


STEPS = (Step(rotate, 4), Step(functools.partial(crop, size=224), 4))


def with_steps(dataset, steps):
    return functools.reduce(lambda made, step: made.map(step.function, step.threads), steps, dataset)


def batches(loader, batch_size):
    tiles = loader.dataset().shuffle(512)
    tiles = with_steps(tiles, STEPS)
    tiles = tiles.batch(batch_size)
    return tiles.map(lambda many: many / 4096.0, num_parallel_calls=AUTO).prefetch(AUTO)


def describe(names):
    """Which quarter each of the four seasons is; a check that is run by hand."""
    quarters = tf.data.Dataset.from_tensor_slices(["winter", "spring", "summer", "autumn"])
    quarters = quarters.enumerate().map(lambda number, name: tf.strings.join([name, tf.strings.as_string(number)]))
    return [name.decode() for name in quarters.as_numpy_iterator() if name.decode()[:-1] in names]


def autoencoder():
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Input((224, 224, 4)),
            layers.Conv2D(32, 3, strides=2, padding="same", activation="relu"),
            layers.Conv2D(64, 3, strides=2, padding="same", activation="relu"),
            layers.Conv2DTranspose(32, 3, strides=2, padding="same", activation="relu"),
            layers.Conv2DTranspose(4, 3, strides=2, padding="same"),
        ]
    )


def main(settings="settings.json"):
    with open(settings) as stream:
        chosen = json.load(stream)
    print(describe(chosen["seasons"]))
    loader = Loader(chosen["pattern"], read_tile)
    model = autoencoder()
    model.compile("adam", "mae")
    tiles = batches(loader, chosen["batch_size"])
    model.fit(tf.data.Dataset.zip((tiles, tiles)), epochs=chosen["epochs"])


if __name__ == "__main__":
    main()
