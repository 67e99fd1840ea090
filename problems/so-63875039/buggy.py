"""The posterior of a logistic regression is sampled by a Metropolis chain."""

import numpy as np
import tensorflow as tf

STEPS = 400
FEATURES = 4


def make_data(seed=91):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(120, FEATURES)).astype(np.float32)
    chance = 1.0 / (1.0 + np.exp(-rows @ np.array([1.0, -1.5, 0.5, 0.0])))
    return tf.constant(rows), tf.constant((rng.random(120) < chance).astype(np.float32))


def log_posterior(weights, rows, labels):
    logits = tf.linalg.matvec(rows, weights)
    likelihood = -tf.reduce_sum(
        tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    )
    return likelihood - tf.reduce_sum(tf.square(weights)) / 8.0


def sample_chain(rows, labels):
    state = tf.zeros([FEATURES])
    score = log_posterior(state, rows, labels)
    states = tf.TensorArray(tf.float32, size=STEPS)
    for step in tf.range(STEPS):  # finding
        seed = tf.stack([step, 7])
        proposal = state + 0.3 * tf.random.stateless_normal([FEATURES], seed)
        proposed = log_posterior(proposal, rows, labels)
        chance = tf.math.log(tf.random.stateless_uniform([], seed + 1))
        accepted = chance < proposed - score
        state = tf.where(accepted, proposal, state)
        score = tf.where(accepted, proposed, score)
        states = states.write(step, state)
    return states.stack()


def main():
    rows, labels = make_data()
    chain = sample_chain(rows, labels)[STEPS // 4 :]
    return [tf.reduce_mean(chain, axis=0).numpy(), tf.math.reduce_std(chain, axis=0).numpy()]


if __name__ == "__main__":
    print(main())
