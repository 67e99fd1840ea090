"""Static enum, Python numbers as traced arguments, NumPy on shapes, loop over a few layers: compiled once per activation."""
import enum
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

TRACES = []


class Act(enum.Enum):
    RELU = "relu"
    TANH = "tanh"


FUNCTIONS = {Act.RELU: jax.nn.relu, Act.TANH: jnp.tanh}


def flat(x):
    return x.reshape(x.shape[0], int(np.prod(x.shape[1:])))


@partial(jax.jit, static_argnames="act", donate_argnames="params")
def step(params, x, rate, number, act):
    TRACES.append(act)

    def loss(layers):
        hidden = flat(x) if x.ndim == 3 else x
        for kernel in layers:
            hidden = FUNCTIONS[act](hidden @ kernel)
        return jnp.mean(hidden**2)

    value, grads = jax.value_and_grad(loss)(params)
    scale = rate / jnp.sqrt(number + 1.0)
    return [p - scale * g for p, g in zip(params, grads)], value


def main():
    keys = jax.random.split(jax.random.key(0), 3)
    params = [jax.random.normal(k, (6, 6)) for k in keys]
    x = jax.random.normal(jax.random.key(1), (8, 3, 2))
    for number in range(12):
        act = Act.RELU if number < 8 else Act.TANH
        params, value = step(params, x, 0.1 / (1 + number), number, act)
    return float(value), len(TRACES)


if __name__ == "__main__":
    print(main())
