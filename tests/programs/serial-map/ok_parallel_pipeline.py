# requires: tensorflow==2.11.*
"""Detection data: parallel decoding, vectorised arithmetic after batch, cached small lookups."""
import functools

import tensorflow as tf

SPEC = {
    "image": tf.io.FixedLenFeature([], tf.string),
    "boxes": tf.io.VarLenFeature(tf.float32),
    "classes": tf.io.VarLenFeature(tf.int64),
}


def parse(record):
    f = tf.io.parse_single_example(record, SPEC)
    image = tf.io.decode_jpeg(f["image"], channels=3)
    boxes = tf.reshape(tf.sparse.to_dense(f["boxes"]), (-1, 4))
    return image, boxes, tf.sparse.to_dense(f["classes"])


def letterbox(size, image, boxes, classes):
    shape = tf.cast(tf.shape(image)[:2], tf.float32)
    scale = size / tf.reduce_max(shape)
    image = tf.image.resize(image, tf.cast(shape * scale, tf.int32))
    image = tf.image.pad_to_bounding_box(image, 0, 0, size, size)
    return image, boxes * scale, classes


def random_flip(image, boxes, classes):
    if tf.random.uniform(()) < 0.5:
        image = tf.image.flip_left_right(image)
        width = tf.cast(tf.shape(image)[1], tf.float32)
        y0, x0, y1, x1 = tf.unstack(boxes, axis=1)
        boxes = tf.stack([y0, width - x1, y1, width - x0], axis=1)
    return image, boxes, classes


def scale_pixels(images, boxes, classes):
    return images / 127.5 - 1.0, boxes, classes


def dataset(pattern, size=640, batch=16, train=True, deterministic=None):
    options = tf.data.Options()
    options.deterministic = deterministic
    ds = tf.data.Dataset.list_files(pattern, shuffle=train)
    ds = ds.interleave(tf.data.TFRecordDataset, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.map(parse, num_parallel_calls=tf.data.AUTOTUNE)
    if train:
        ds = ds.shuffle(1024).map(random_flip, tf.data.AUTOTUNE)
    ds = ds.map(functools.partial(letterbox, size), num_parallel_calls=16)
    shapes = ((size, size, 3), (None, 4), (None,))
    ds = ds.padded_batch(batch, padded_shapes=shapes, padding_values=(0.0, -1.0, tf.constant(-1, tf.int64)))
    ds = ds.map(scale_pixels, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.with_options(options).prefetch(tf.data.AUTOTUNE)


def class_names(path):
    """Small file, read once."""
    lines = tf.data.TextLineDataset(path).map(tf.strings.strip)
    return [n.decode() for n in lines.as_numpy_iterator()]


def main():
    names = class_names("classes.txt")
    for images, boxes, classes in dataset("records/train-*").take(2):
        print(images.shape, boxes.shape, [names[c] for c in classes[0].numpy() if c >= 0])


if __name__ == "__main__":
    main()
