import tensorflow as tf


def test_scale_keeps_the_shape():
    ds = tf.data.Dataset.range(4).map(lambda i: tf.random.uniform([8, 8, 3]))
    for image in ds:
        assert image.shape == (8, 8, 3)
