import abc
import json
import os

import tensorflow as tf


class Stage(abc.ABC):
    @abc.abstractmethod
    def __call__(self, sample):
        ...


class Decode(Stage):
    def __init__(self, root):
        self.root = root

    def __call__(self, sample):
        raw = tf.io.read_file(tf.strings.join([self.root, "/", sample["file"]]))
        sample["image"] = tf.image.resize(tf.io.decode_jpeg(raw, 3), [256, 192])
        return sample


class Heatmaps(Stage):
    def __init__(self, sigma, joints=17):
        self.sigma = sigma
        self.joints = joints

    def __call__(self, sample):
        ys, xs = tf.meshgrid(tf.range(64.0), tf.range(48.0), indexing="ij")
        points = sample["points"]
        d = (xs[..., None] - points[:, 0]) ** 2 + (ys[..., None] - points[:, 1]) ** 2
        sample["heat"] = tf.exp(-d / (2 * self.sigma**2))
        return sample


class Whiten(Stage):
    def __call__(self, sample):
        sample["image"] = (sample["image"] - 118.0) / 62.0
        return sample


class Jitter(Stage):
    def __call__(self, sample):
        sample["image"] = tf.image.random_hue(sample["image"], 0.1)
        return sample


def chain(ds, stages, workers=None):
    for stage in stages:
        ds = ds.map(stage, num_parallel_calls=workers)  # finding: serial-map
    return ds


def rows(path):
    with open(path) as handle:
        data = json.load(handle)
    return {"file": [d["file"] for d in data], "points": [d["points"] for d in data]}


def make(root, split, batch):
    base = tf.data.Dataset.from_tensor_slices(rows(os.path.join(root, split + ".json")))
    if split == "train":
        base = base.shuffle(10000).repeat()
    ds = chain(base, [Decode(root), Heatmaps(2.0), Jitter()])
    ds = ds.map(Whiten(), num_parallel_calls=tf.data.experimental.AUTOTUNE)  # finding: map-before-batch
    return ds.batch(batch).prefetch(tf.data.experimental.AUTOTUNE)


def quick(root, batch):
    base = tf.data.Dataset.from_tensor_slices(rows(os.path.join(root, "val.json")))
    ds = base.map(Decode(root), tf.data.experimental.AUTOTUNE)
    return ds.batch(batch).map(Whiten(), tf.data.experimental.AUTOTUNE)


if __name__ == "__main__":
    model = tf.keras.applications.MobileNetV2(input_shape=(256, 192, 3), weights=None)
    for step, sample in enumerate(make("/data/coco", "train", 32)):
        model(sample["image"])
        if step == 100_000:
            break
    for sample in quick("/data/coco", 64):
        print(sample["image"].shape)
