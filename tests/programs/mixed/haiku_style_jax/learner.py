import functools

import jax
import optax

import nets


class Learner:
    def __init__(self, rate, smoothing):
        self.optimizer = optax.sgd(rate, momentum=0.9)
        self.smoothing = smoothing
        self._update = jax.jit(self._step)

    def _step(self, params, state, x, y):
        slope = jax.grad(nets.loss)(params, x, y, self.smoothing)
        updates, state = self.optimizer.update(slope, state)
        return optax.apply_updates(params, updates), state

    def update(self, params, state, x, y):
        return self._update(params, state, x, y)

    def update_slowly(self, params, state, x, y):
        loss = functools.partial(nets.loss, smoothing=self.smoothing)
        slope = jax.jit(jax.grad(loss))(params, x, y)  # finding: compiled-per-call
        updates, state = jax.jit(lambda g, s: self.optimizer.update(g, s))(slope, state)  # finding: compiled-per-call
        return optax.apply_updates(params, updates), state  # finding: eager-loop


def saliency(params, batches):
    for x, y in batches:

        @jax.jit  # finding: compiled-per-call
        def slope(x):
            return jax.grad(nets.loss, argnums=1)(params, x, y, 0.0)

        yield slope(x)


def evaluate(params, batches):
    scores = []
    for x, y in batches:
        fast = jax.jit(nets.accuracy)
        scores.append(fast(params, x, y))
    return sum(scores) / len(scores)


@functools.cache
def predictor(dtype):
    return jax.jit(lambda params, x: nets.apply(params, x.astype(dtype)))


def answers(params, batches, dtype):
    return [predictor(dtype)(params, x) for x, _ in batches]
