# requires: tensorflow==1.15.2
import tensorflow as tf


def decode(serialized):
    features = {"image": tf.FixedLenFeature([], tf.string)}
    parsed = tf.parse_single_example(serialized, features)
    image = tf.image.decode_jpeg(parsed["image"], channels=3)
    return tf.image.resize_images(image, [299, 299])


def input_fn(files, batch_size):
    names = tf.data.Dataset.from_tensor_slices(files)
    records = names.apply(tf.data.experimental.parallel_interleave(tf.data.TFRecordDataset, 8))
    return records.apply(
        tf.data.experimental.map_and_batch(decode, batch_size, num_parallel_calls=8)
    )
