"""What the machine offers; looked up once, when the program starts."""

import tensorflow as tf

ACCELERATED = bool(tf.test.is_gpu_available())


def describe():
    return "with a GPU" if ACCELERATED else "on the processor alone"
