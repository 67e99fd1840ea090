import dataclasses

import numpy as np
import tensorflow as tf

import prep

AUTO = tf.data.experimental.AUTOTUNE


@dataclasses.dataclass
class Settings:
    file: str = "plankton.npz"
    batch: int = 64
    filtered: bool = False


def arrays(file):
    with np.load(file) as data:
        return {name: data[name] for name in ("image", "depth", "species", "box")}


def normalized(dataset):
    dataset = dataset.map(prep.to_float, num_parallel_calls=AUTO)  # finding: map-before-batch
    dataset = dataset.map(prep.clip_depth, num_parallel_calls=AUTO)  # finding: map-before-batch
    return dataset


def build(settings):
    data = arrays(settings.file)
    count = len(data["species"])
    dataset = tf.data.Dataset.from_tensor_slices(data).shuffle(count)
    ready = {"train": normalized(dataset.skip(count // 10)), "val": dataset.take(count // 10)}
    ready["train"] = ready["train"].map(prep.rotate, AUTO)
    ready["val"] = ready["val"].map(prep.bounding_crop, AUTO)
    for name in ("train", "val"):
        ready[name] = ready[name].batch(settings.batch)
    ready["train"] = ready["train"].map(prep.as_pair, AUTO).prefetch(AUTO)
    return ready


def cleaned(settings):
    dataset = tf.data.Dataset.from_tensor_slices(arrays(settings.file))
    dataset = dataset.map(prep.denoise, AUTO)
    return dataset.batch(settings.batch).prefetch(AUTO)


def series(values, length, batch):
    windows = tf.data.Dataset.from_tensor_slices(values).window(length + 1, 1, drop_remainder=True)
    windows = windows.flat_map(lambda window: window.batch(length + 1))
    return windows.map(lambda w: (w[:-1], w[-1]), AUTO).shuffle(1000).batch(batch).prefetch(AUTO)


def main():
    settings = Settings()
    ready = build(settings)
    image = tf.keras.Input((96, 96, 1))
    depth = tf.keras.Input(())
    net = tf.keras.layers.Conv2D(24, 5, strides=2, activation="relu")(image)
    net = tf.keras.layers.GlobalMaxPool2D()(net)
    net = tf.keras.layers.Concatenate()([net, depth[:, tf.newaxis]])
    model = tf.keras.Model([image, depth], tf.keras.layers.Dense(80)(net))
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(ready["train"], epochs=25)
    forecast = tf.keras.Sequential([tf.keras.layers.GRU(16), tf.keras.layers.Dense(1)])
    forecast.compile("adam", "mse")
    forecast.fit(series(np.load("counts.npy")[:, None], 30, 32), epochs=10)


if __name__ == "__main__":
    main()
