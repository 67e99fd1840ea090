import jax
import jax.numpy as jnp
import numpy as np


def energy(params, x):
    return jnp.sum(jnp.tanh(x @ params["w"]) ** 2) + jnp.sum(params["b"] ** 2)


def anneal(params, data, temperatures):
    values = []
    for temperature in temperatures:
        scaled = jax.jit(lambda p, x: energy(p, x) / temperature)  # finding: compiled-per-call
        values.append(float(scaled(params, data)))
    return values


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    weights = {"w": rng.normal(size=(16, 4)), "b": np.zeros(4)}
    print(anneal(weights, rng.normal(size=(128, 16)), np.linspace(5.0, 0.1, 200)))
