# requires: tensorflow==2.10.1
import tensorflow as tf


def to_image(flat, label):
    image = tf.reshape(flat, [28, 28, 1])
    return image, label


def to_columns(image, label):
    columns = tf.transpose(image, [1, 0, 2])
    return tf.squeeze(columns, axis=-1), label


def gram(columns, label):
    return tf.matmul(columns, columns, transpose_a=True), tf.expand_dims(label, 0)


def build(flat, labels):
    ds = tf.data.Dataset.from_tensor_slices((flat, labels))
    for step in (to_image, to_columns, gram):
        ds = ds.map(step, num_parallel_calls=2)
    return ds.batch(100)
