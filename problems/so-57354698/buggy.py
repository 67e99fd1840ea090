"""Rates the risk of loans before a network learns from the ratings."""

import numpy as np
import tensorflow as tf

LOANS = 60_000


def loans():
    rng = np.random.default_rng(57354)
    amounts = rng.uniform(1.0, 90.0, size=LOANS)
    incomes = rng.uniform(10.0, 80.0, size=LOANS)
    return amounts, incomes


def burden(amounts, incomes):
    shares = np.zeros(len(amounts))
    for index in range(len(amounts)):  # finding
        if amounts[index] > incomes[index]:
            shares[index] = np.sqrt(amounts[index] / incomes[index])
        else:
            shares[index] = 0.5 * amounts[index] / incomes[index]
    return shares


def line_through(inputs, targets):
    design = tf.stack([tf.ones_like(inputs), inputs], axis=1)
    return tf.linalg.lstsq(design, targets[:, tf.newaxis])


def main():
    amounts, incomes = loans()
    shares = burden(amounts, incomes)
    line = line_through(tf.constant(shares), tf.math.log(amounts))
    return [shares, line.numpy()]


if __name__ == "__main__":
    print(main()[1])
