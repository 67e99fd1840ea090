import random
import sys

import jax
import jax.numpy as jnp
import tensorflow as tf

import jax_maml
from tf_maml import Reptile


def loss(params, x, y):
    hidden = jnp.tanh(x @ params["in"])
    return jnp.mean((hidden @ params["out"] - y) ** 2)


def tasks(count):
    return [jax_maml.Task(random.uniform(0.1, 5), random.uniform(0, 3.14)) for _ in range(count)]


def nudge(params, adapted):
    return jax.tree_util.tree_map(lambda p, a: p + 0.1 * (a - p), params, adapted)


def main():
    if sys.argv[1] == "jax":
        key = jax.random.PRNGKey(0)
        params = {"in": jax.random.normal(key, (1, 40)), "out": jax.random.normal(key, (40, 1))}
        inner = jax_maml.Inner(loss, 0.01)
        params = jax_maml.meta_train(params, inner, tasks(10000), key, jax.jit(nudge))
        print(jax_maml.meta_test(params, inner, tasks(500), key))
    else:
        model = tf.keras.Sequential([tf.keras.layers.Dense(40, "tanh"), tf.keras.layers.Dense(1)])
        stream = tf.data.Dataset.load(sys.argv[2]).batch(20, drop_remainder=True).prefetch(2)
        print(sum(Reptile(model, 0.01).train(stream)))


if __name__ == "__main__":
    main()
