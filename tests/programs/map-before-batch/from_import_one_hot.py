# requires: tensorflow==2.13.0
import tensorflow as tf
from tensorflow.data import AUTOTUNE, Dataset

CLASSES = 43


def encode(signal, label):
    return tf.cast(signal, tf.float32), tf.one_hot(label, CLASSES)


def sign_dataset(signals, labels, size):
    return (
        Dataset.from_tensor_slices((signals, labels))
        .cache()
        .shuffle(4096)
        .map(encode, num_parallel_calls=AUTOTUNE)  # finding: map-before-batch
        .batch(size)
        .prefetch(AUTOTUNE)
    )


def accuracy(model, dataset):
    metric = tf.keras.metrics.CategoricalAccuracy()
    for signals, labels in dataset:
        metric.update_state(labels, model(signals, training=False))
    return metric.result().numpy()
