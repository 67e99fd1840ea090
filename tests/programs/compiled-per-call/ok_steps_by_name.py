"""Self-supervised pretraining: the objective is chosen once, the step compiled once for it."""
import argparse
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax


def encode(params, x):
    h = jax.nn.relu(x @ params["w1"])
    return h @ params["w2"]


def simclr(params, a, b, temperature):
    za, zb = encode(params, a), encode(params, b)
    za /= jnp.linalg.norm(za, axis=1, keepdims=True)
    zb /= jnp.linalg.norm(zb, axis=1, keepdims=True)
    logits = za @ zb.T / temperature
    return optax.softmax_cross_entropy_with_integer_labels(logits, jnp.arange(len(a))).mean()


def barlow(params, a, b, weight):
    za, zb = encode(params, a), encode(params, b)
    za = (za - za.mean(0)) / (za.std(0) + 1e-5)
    zb = (zb - zb.mean(0)) / (zb.std(0) + 1e-5)
    c = za.T @ zb / len(a)
    on = jnp.sum((1 - jnp.diag(c)) ** 2)
    return on + weight * (jnp.sum(c ** 2) - jnp.sum(jnp.diag(c) ** 2))


OBJECTIVES = {"simclr": functools.partial(simclr, temperature=0.1), "barlow": functools.partial(barlow, weight=5e-3)}


def make_step(objective, opt):
    @jax.jit
    def step(params, state, a, b):
        loss, grads = jax.value_and_grad(objective)(params, a, b)
        updates, state = opt.update(grads, state)
        return optax.apply_updates(params, updates), state, loss

    return step


class Steps:
    """Compiles on first use, keeps by name."""

    def __init__(self, opt):
        self.opt = opt
        self.made = {}

    def __getitem__(self, name):
        if name not in self.made:
            self.made[name] = make_step(OBJECTIVES[name], self.opt)
        return self.made[name]


def views(rng, x):
    noise = rng.normal(size=(2, *x.shape)).astype(np.float32) * 0.1
    keep = rng.random((2, *x.shape)) > 0.2
    return (x + noise[0]) * keep[0], (x + noise[1]) * keep[1]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data")
    p.add_argument("--schedule", nargs="+", default=["barlow", "simclr"])
    p.add_argument("--steps", type=int, default=2000)
    args = p.parse_args()
    data = np.load(args.data).astype(np.float32)
    rng = np.random.default_rng(0)
    d = data.shape[1]
    params = {"w1": rng.normal(size=(d, 512)) / d ** 0.5, "w2": rng.normal(size=(512, 128)) / 512 ** 0.5}
    opt = optax.adam(1e-3)
    state, steps = opt.init(params), Steps(opt)
    for name in args.schedule:
        for i in range(args.steps):
            a, b = views(rng, data[rng.integers(0, len(data), 256)])
            params, state, loss = steps[name](params, state, a, b)
        print(name, float(loss))
    np.savez("encoder.npz", **params)


if __name__ == "__main__":
    main()
