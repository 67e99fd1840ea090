# requires: tensorflow==2.15.0
"""Statistics of a column, one value at a time, and an unbatched export."""
import tensorflow as tf


def squared(value):
    return tf.square(tf.cast(value, tf.float64))


def second_moment(values):
    total = tf.data.Dataset.from_tensor_slices(values).map(squared, num_parallel_calls=2)
    summed = total.reduce(tf.constant(0.0, tf.float64), lambda state, value: state + value)
    return summed / len(values)


def export(values, path):
    serialized = tf.data.Dataset.from_tensor_slices(values).map(
        tf.io.serialize_tensor, num_parallel_calls=2
    )
    with tf.io.TFRecordWriter(path) as writer:
        for record in serialized.as_numpy_iterator():
            writer.write(record)
