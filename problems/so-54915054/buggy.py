"""Data assimilation: fresh measurements go into fixed variables before each training step."""

import numpy as np
import tensorflow as tf

tf.compat.v1.disable_eager_execution()

SITES = 60
READINGS = 20
STEPS = 25


class Sites:
    """What was measured last at each site, in variables that are not trained."""

    def __init__(self):
        self.variables = [
            tf.compat.v1.get_variable(
                f"site{site}",
                (READINGS, 3),
                initializer=tf.compat.v1.zeros_initializer(),
                trainable=False,
            )
            for site in range(SITES)
        ]

    def refresh(self, session, measured):
        for variable, values in zip(self.variables, measured):
            variable.load(values, session)  # finding


def measurements(rng):
    return list(rng.normal(size=(SITES, READINGS, 3)).astype("float32"))


def forecast_loss(sites):
    weight = tf.compat.v1.get_variable(
        "weight", (3, 1), initializer=tf.compat.v1.zeros_initializer()
    )
    readings = tf.concat(sites.variables, axis=0)
    targets = tf.reduce_sum(readings, axis=1, keepdims=True)
    return tf.reduce_mean(tf.square(tf.matmul(readings, weight) - targets))


def train(session, sites, step, loss):
    rng = np.random.default_rng(54)
    losses = []
    for _ in range(STEPS):
        sites.refresh(session, measurements(rng))
        losses.append(session.run([loss, step])[0])
    return losses


def main():
    sites = Sites()
    loss = forecast_loss(sites)
    step = tf.compat.v1.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.compat.v1.Session() as session:
        session.run(tf.compat.v1.global_variables_initializer())
        return train(session, sites, step, loss)


if __name__ == "__main__":
    print(main())
