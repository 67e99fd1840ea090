"""Reads digits off meters: a restored network answers for one photograph at a time."""

import numpy as np
import tensorflow as tf
from sibling_reader import load_reader, read_digit

PHOTOS = 16


def main():
    photos = np.random.default_rng(28).random((PHOTOS, 64))
    digits = []
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        parameters = load_reader(sess)
        while len(digits) < PHOTOS:
            digits.append(read_digit(sess, parameters, photos[len(digits)]))
    return digits


if __name__ == "__main__":
    print(main())
