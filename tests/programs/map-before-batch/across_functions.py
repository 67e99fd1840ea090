# requires: tensorflow==2.12.0
"""Denoising autoencoder on sensor frames."""
import tensorflow as tf


def normalize(frame):
    return (frame - 0.1307) / 0.3081


def frames(array):
    dataset = tf.data.Dataset.from_tensor_slices(array)
    return dataset.map(normalize, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch


def pairs(batch):
    return batch + tf.random.normal(tf.shape(batch), stddev=0.1), batch


def training_data(array, batch_size):
    source = frames(array)
    shuffled = source.shuffle(2048)
    batched = shuffled.batch(batch_size)
    return batched.map(pairs, num_parallel_calls=tf.data.AUTOTUNE)


def fit(model, array):
    model.compile("adam", "mse")
    return model.fit(training_data(array, 64), epochs=10)
