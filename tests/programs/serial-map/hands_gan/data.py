"""Paired photos of hands and their sketches, side by side in one file."""
import functools

import tensorflow as tf

SIZE = 256
JITTER = 286


def load(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    width = tf.shape(image)[1] // 2
    photo = tf.cast(image[:, :width], tf.float32)
    sketch = tf.cast(image[:, width:], tf.float32)
    return photo, sketch


def resize(photo, sketch, size):
    method = tf.image.ResizeMethod.NEAREST_NEIGHBOR
    return tf.image.resize(photo, [size, size], method), tf.image.resize(sketch, [size, size], method)


def jitter(photo, sketch):
    photo, sketch = resize(photo, sketch, JITTER)
    both = tf.image.random_crop(tf.stack([photo, sketch]), [2, SIZE, SIZE, 3])
    photo, sketch = both[0], both[1]
    if tf.random.uniform(()) > 0.5:
        photo = tf.image.flip_left_right(photo)
        sketch = tf.image.flip_left_right(sketch)
    return photo, sketch


def train_item(path):
    photo, sketch = jitter(*load(path))
    return photo / 127.5 - 1, sketch / 127.5 - 1


def test_item(path):
    photo, sketch = resize(*load(path), size=SIZE)
    return photo / 127.5 - 1, sketch / 127.5 - 1


def make(pattern, item, batch_size, shuffle):
    files = tf.data.Dataset.list_files(pattern, shuffle=shuffle)
    return files.map(item).batch(batch_size).prefetch(tf.data.AUTOTUNE)  # finding: serial-map


train = functools.partial(make, item=train_item, shuffle=True)
test = functools.partial(make, item=test_item, shuffle=False)
