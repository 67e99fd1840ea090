"""Peaks of heat maps, found as flat indices, are turned into coordinates of joints."""

import numpy as np
import tensorflow as tf

HEIGHT, WIDTH = 32, 24
PEOPLE = 60
JOINTS = 12


def make_heat_maps(seed=83):
    rng = np.random.default_rng(seed)
    return tf.constant(rng.random((PEOPLE * JOINTS, HEIGHT * WIDTH), dtype=np.float32))


def to_coordinates(indices):
    def one(index):
        return tf.stack([index // WIDTH, index % WIDTH])

    return tf.map_fn(one, indices)  # finding


def joints(heat_maps):
    peaks = tf.argmax(heat_maps, axis=1, output_type=tf.int32)
    return tf.reshape(to_coordinates(peaks), [PEOPLE, JOINTS, 2])


def grid_distances():
    cells = to_coordinates(tf.range(HEIGHT * WIDTH))
    centre = tf.constant([HEIGHT // 2, WIDTH // 2])
    return tf.norm(tf.cast(cells - centre, tf.float32), axis=1)


def main():
    places = joints(make_heat_maps())
    reach = tf.reduce_max(places, axis=1) - tf.reduce_min(places, axis=1)
    return [places.numpy(), reach.numpy(), grid_distances().numpy()]


if __name__ == "__main__":
    print(main())
