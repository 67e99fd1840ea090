"""The nearest place to each depot, where a distance of zero means that there is no road."""

import tensorflow as tf

DEPOTS = 400
PLACES = 64


def road_map():
    distances = tf.random.stateless_uniform((DEPOTS, PLACES), seed=(56, 1), maxval=100.0)
    blocked = tf.random.stateless_uniform((DEPOTS, PLACES), seed=(56, 2)) < 0.3
    return tf.where(blocked, 0.0, distances)


def nearest_of_one(distances):
    reachable = tf.where(distances > 0.0)[:, 0]
    lengths = tf.gather(distances, reachable)
    return reachable[tf.argmin(lengths)]


def nearest(distances):
    return tf.map_fn(nearest_of_one, distances, fn_output_signature=tf.int64)  # finding


def busiest(places):
    visits = tf.math.bincount(tf.cast(places, tf.int32), minlength=PLACES)
    return tf.math.top_k(visits, k=3).indices


def main():
    places = nearest(road_map())
    return [places.numpy(), busiest(places).numpy()]


if __name__ == "__main__":
    print(main()[1])
