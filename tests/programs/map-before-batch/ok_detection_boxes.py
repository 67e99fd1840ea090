# requires: tensorflow==2.11.*
"""Data of the shelf detector: pictures with any number of boxes."""
import json
import pathlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import tensorflow as tf

SIZE = 640
MAX_BOXES = 100
STRIDES = (8, 16, 32)


def read_annotation(path):
    content = json.loads(path.read_text())
    boxes = np.array([item["box"] for item in content["items"]], "float32").reshape(-1, 4)
    classes = np.array([item["class"] for item in content["items"]], "int32")
    return content["image"], boxes, classes


class Shelves:
    """Calls give (file name, boxes, classes), one picture at a time."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        paths = sorted(self.folder.glob("*.json"))
        with ThreadPoolExecutor(8) as pool:
            self.annotations = list(pool.map(read_annotation, paths))

    def __call__(self):
        for name, boxes, classes in self.annotations:
            if len(boxes):
                yield str(self.folder / name), boxes, classes


def load(name, boxes, classes):
    image = tf.io.decode_image(tf.io.read_file(name), channels=3, expand_animations=False)
    shape = tf.cast(tf.shape(image)[:2], tf.float32)
    image = tf.image.resize_with_pad(image, SIZE, SIZE)
    return image, boxes / tf.tile(shape, [2]), classes


def limit(image, boxes, classes):
    """The largest boxes only, and as many rows in each picture."""
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    order = tf.argsort(area, direction="DESCENDING")[:MAX_BOXES]
    boxes, classes = tf.gather(boxes, order), tf.gather(classes, order)
    missing = MAX_BOXES - tf.shape(order)[0]
    boxes = tf.pad(boxes, [[0, missing], [0, 0]])
    classes = tf.pad(classes, [[0, missing]], constant_values=-1)
    return image, boxes, classes


def flip(image, boxes, classes):
    if tf.random.uniform([]) < 0.5:
        image = tf.image.flip_left_right(image)
        top, left, bottom, right = tf.unstack(boxes, axis=-1)
        boxes = tf.stack([top, 1 - right, bottom, 1 - left], axis=-1)
    return image, boxes, classes


def assign(image, boxes, classes):
    """Heat maps for one picture: a one in the cell of each box's centre."""
    centre = (boxes[:, :2] + boxes[:, 2:]) / 2
    maps = []
    for stride in STRIDES:
        cells = SIZE // stride
        index = tf.cast(centre * cells, tf.int32)
        index = tf.concat([index, tf.maximum(classes, 0)[:, None]], -1)
        weight = tf.cast(classes >= 0, tf.float32)
        maps.append(tf.tensor_scatter_nd_max(tf.zeros([cells, cells, 20]), index, weight))
    return image, tuple(maps)


def scale(images, targets):
    return tf.cast(images, tf.float32) / 255.0, targets


def dataset(folder, batch_size, training):
    signature = (
        tf.TensorSpec([], tf.string),
        tf.TensorSpec([None, 4], tf.float32),
        tf.TensorSpec([None], tf.int32),
    )
    steps = [load, flip, limit, assign] if training else [load, limit, assign]
    ds = tf.data.Dataset.from_generator(Shelves(folder), output_signature=signature)
    if training:
        ds = ds.shuffle(1000).repeat()
    for step in steps:
        ds = ds.map(step, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.batch(batch_size)
    ds = ds.map(scale, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.prefetch(tf.data.AUTOTUNE)


def main():
    train = dataset("data/train", 16, training=True)
    for images, targets in train.take(2):
        print(images.shape, [target.shape for target in targets])


if __name__ == "__main__":
    main()
