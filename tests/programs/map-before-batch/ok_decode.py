# requires: tensorflow==2.15.0
import tensorflow as tf


def load(path, label):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    image = tf.image.resize(image, (224, 224)) / 255.0
    return image, tf.one_hot(label, 100)


def dataset(paths, labels):
    ds = tf.data.Dataset.from_tensor_slices((paths, labels))
    ds = ds.map(load, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(64).prefetch(tf.data.AUTOTUNE)


def evaluate(model, paths, labels):
    return model.evaluate(dataset(paths, labels), return_dict=True)
