"""The nearest place to each depot, where a distance of zero means that there is no road."""

import tensorflow as tf

DEPOTS = 400
PLACES = 64


def road_map():
    distances = tf.random.stateless_uniform((DEPOTS, PLACES), seed=(56, 1), maxval=100.0)
    blocked = tf.random.stateless_uniform((DEPOTS, PLACES), seed=(56, 2)) < 0.3
    return tf.where(blocked, 0.0, distances)


def nearest(distances):
    lengths = tf.where(distances > 0.0, distances, float("inf"))
    return tf.argmin(lengths, axis=1)


def busiest(places):
    visits = tf.math.bincount(tf.cast(places, tf.int32), minlength=PLACES)
    return tf.math.top_k(visits, k=3).indices


def main():
    places = nearest(road_map())
    return [places.numpy(), busiest(places).numpy()]


if __name__ == "__main__":
    print(main()[1])
