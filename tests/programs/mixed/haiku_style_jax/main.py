import sys

import jax
import jax.numpy as jnp
import numpy as np

import nets
from learner import Learner, answers, evaluate, saliency


def batches_of(path, size):
    with np.load(path) as data:
        x, y = data["x"].reshape(-1, 784), data["y"]
    return [(x[i : i + size], y[i : i + size]) for i in range(0, len(x) - size, size)]


def fit(learner, batches, epochs, slow):
    params = nets.init(jax.random.key(0), [784, 256, 10])
    state = learner.optimizer.init(params)
    update = learner.update_slowly if slow else learner.update
    for epoch in range(epochs):
        for x, y in batches:
            params, state = update(params, state, x, y)
        print(epoch, evaluate(params, batches))
    return params


def debug(learner, batches):
    params = nets.init(jax.random.key(1), [784, 64, 10])
    state = learner.optimizer.init(params)
    for x, y in batches:
        params, state = learner.update_slowly(params, state, x, y)
    return params


def main():
    batches = batches_of(sys.argv[1], 128)
    learner = Learner(0.1, 0.05)
    params = fit(learner, batches, 10, slow="--slow" in sys.argv)
    maps = jnp.concatenate(list(saliency(params, batches)))
    print(maps.shape, len(answers(params, batches, jnp.bfloat16)))
    debug(learner, batches)


if __name__ == "__main__":
    main()
