"""Finds edges in the frames of a camera, frame after frame, in graph mode."""

import numpy as np
import tensorflow as tf

tf.compat.v1.disable_eager_execution()

FRAMES = 40
SIDE = 32


def camera():
    rng = np.random.default_rng(51)
    for _ in range(FRAMES):
        yield rng.random((SIDE, SIDE, 1)).astype("float32")


class EdgeDetector:
    def __init__(self):
        self.session = tf.compat.v1.Session()
        self.frames = tf.compat.v1.placeholder(tf.float32, [None, SIDE, SIDE, 1])
        kernel = tf.compat.v1.get_variable(
            "kernel", initializer=tf.random.stateless_normal((3, 3, 1, 4), seed=(5, 1))
        )
        maps = tf.nn.conv2d(self.frames, kernel, strides=1, padding="SAME")
        strength = tf.reduce_max(tf.abs(maps), axis=3)
        self.found = tf.cast(strength > tf.reduce_mean(strength), tf.float32)
        self.session.run(tf.compat.v1.global_variables_initializer())

    def edges(self, frame):
        return self.session.run(self.found, {self.frames: frame[np.newaxis]})[0]


def watch(detector, frames):
    shares = []
    for frame in frames:
        edges = detector.edges(frame)
        shares.append(edges.mean())
    return shares


def main():
    detector = EdgeDetector()
    shares = watch(detector, camera())
    detector.session.close()
    return shares


if __name__ == "__main__":
    print(main()[:5])
