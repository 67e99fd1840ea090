"""What the machine offers; looked up once, when the program starts."""

import tensorflow as tf

ACCELERATED = bool(tf.test.is_gpu_available())  # finding


def describe():
    return "with a GPU" if ACCELERATED else "on the processor alone"


def products(rows, weights):
    """Each row times the weights, on a GPU if this process has one."""
    if not tf.test.is_gpu_available():
        return rows @ weights
    with tf.device("/GPU:0"):
        return tf.linalg.matvec(rows, weights).numpy()
