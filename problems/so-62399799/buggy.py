"""Predictions of several saved networks are made by worker processes, one network each."""

import multiprocessing

import numpy as np
import tensorflow as tf

WORKERS = 2
ROWS = 64
INPUTS = 10


def network_weights(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(INPUTS, 8)), rng.normal(size=(8, 1))


def evaluate(seed):
    rows = np.random.default_rng(100 + seed).normal(size=(ROWS, INPUTS))
    first, second = network_weights(seed)
    if tf.test.is_gpu_available():
        with tf.device("/GPU:0"):
            return tf.tanh(tf.tanh(rows @ first) @ second).numpy().mean()
    return np.tanh(np.tanh(rows @ first) @ second).mean()


def main():
    if tf.test.is_gpu_available():  # finding
        print("evaluating on", tf.test.gpu_device_name())
    with multiprocessing.Pool(WORKERS) as pool:
        means = pool.map(evaluate, range(4))
    return np.array(means)


if __name__ == "__main__":
    print(main())
