"""Trace-time prints, NumPy on static shapes, lazily built variables and Python loops over layers: one trace per mode."""
from dataclasses import dataclass

import numpy as np
import tensorflow as tf


@dataclass(frozen=True)
class StackConfig:
    width: int = 8
    depth: int = 3


class Stack(tf.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.kernels = None
        self.traces = 0

    def build(self, width):
        sizes = [width] + [self.cfg.width] * self.cfg.depth
        self.kernels = [
            tf.Variable(tf.random.stateless_normal([a, b], [n, 0]) / a**0.5)
            for n, (a, b) in enumerate(zip(sizes, sizes[1:]))
        ]

    def flatten(self, x):
        return tf.reshape(x, [-1, int(np.prod(x.shape[1:]))])

    @tf.function
    def __call__(self, x, training=False):
        self.traces += 1
        print("tracing for", x.shape, training)
        x = self.flatten(x)
        if self.kernels is None:
            self.build(x.shape[-1])
        for kernel in self.kernels:
            x = tf.nn.relu(x @ kernel)
            if training:
                x = tf.nn.dropout(x, 0.1)
        if tf.reduce_any(tf.math.is_nan(x)):
            tf.print("not a number in", tf.shape(x))
        return tf.reduce_sum(x, -1)


def main():
    model = Stack(StackConfig())
    for n in range(6):
        model(tf.random.stateless_normal([4, 3, 2], [n, 0]), training=True)
    total = sum(float(tf.reduce_sum(model(tf.ones([4, 3, 2]) * n))) for n in range(6))
    return total, model.traces


if __name__ == "__main__":
    print(main())
