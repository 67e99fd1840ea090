import numpy as np
import tensorflow as tf


def saliency(model, x, step):
    @tf.function
    def grads(batch):
        with tf.GradientTape() as tape:
            tape.watch(batch)
            out = model(batch)[:, step]
        return tape.gradient(out, batch)

    return np.abs(grads(tf.constant(x)).numpy()).mean(0)


def bootstrap_interval(model, x, y, rounds=30, seed=0):
    rng = np.random.default_rng(seed)
    scores = []
    for _ in range(rounds):
        pick = rng.integers(0, len(x), len(x))
        guess = model.predict(x[pick], batch_size=256, verbose=0)
        scores.append(np.abs(guess - y[pick]).mean())
    return np.percentile(scores, [5, 95])
