# requires: tensorflow==1.13.1
import tensorflow as tf


def decode(path):
    picture = tf.image.decode_jpeg(tf.read_file(path), channels=3)
    picture = tf.image.resize_images(picture, [299, 299])
    return picture


def input_fn(paths, params):
    dataset = tf.data.Dataset.from_tensor_slices(paths)
    dataset = dataset.shuffle(1024).repeat()
    dataset = dataset.apply(
        tf.data.experimental.map_and_batch(
            decode,
            batch_size=params["batch_size"],
            num_parallel_batches=4,
            drop_remainder=True,
        )
    )
    return dataset.prefetch(2)
