# requires: equinox==0.11.3
"""Score-based generative model on 2d toy data, after the Equinox example; run with --data moons."""
import argparse

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import optax
from sklearn.datasets import make_circles, make_moons

DATA = {
    "moons": lambda n: make_moons(n, noise=0.05)[0],
    "circles": lambda n: make_circles(n, noise=0.03, factor=0.5)[0],
}


class Score(eqx.Module):
    layers: list
    time: eqx.nn.Linear

    def __init__(self, width, depth, key):
        keys = jr.split(key, depth + 2)
        sizes = [2] + [width] * depth + [2]
        self.layers = [eqx.nn.Linear(a, b, key=k) for a, b, k in zip(sizes, sizes[1:], keys)]
        self.time = eqx.nn.Linear(1, width, key=keys[-1])

    def __call__(self, t, x):
        h = self.layers[0](x) + self.time(t[None])
        for layer in self.layers[1:]:
            h = layer(jax.nn.silu(h))
        return h


def noise_level(t):
    return jnp.sqrt(1 - jnp.exp(-5 * t))


def batch_loss(model, x, key):
    tkey, nkey = jr.split(key)
    t = jr.uniform(tkey, (x.shape[0],), minval=1e-3)
    noise = jr.normal(nkey, x.shape)
    std = noise_level(t)[:, None]
    pred = jax.vmap(model)(t, x * jnp.sqrt(1 - std**2) + std * noise)
    return jnp.mean((pred * std + noise) ** 2)


@eqx.filter_jit
def make_step(model, x, key, opt_state, opt_update):
    loss, grads = eqx.filter_value_and_grad(batch_loss)(model, x, key)
    updates, opt_state = opt_update(grads, opt_state)
    return loss, eqx.apply_updates(model, updates), opt_state


def batches(data, size, rng):
    while True:
        order = rng.permutation(len(data))
        for i in range(0, len(data) - size + 1, size):
            yield jnp.asarray(data[order[i : i + size]])


def sample(model, n, key, steps=200):
    """Euler-Maruyama, from noise to data."""
    dt = 1.0 / steps

    @eqx.filter_jit  # finding: compiled-per-call
    def back(x, t, key):
        drift = -2.5 * x - 5.0 * jax.vmap(model, in_axes=(None, 0))(t, x)
        return x - drift * dt + jnp.sqrt(5.0 * dt) * jr.normal(key, x.shape)

    key, sub = jr.split(key)
    x = jr.normal(sub, (n, 2))
    for i in range(steps):
        key, sub = jr.split(key)
        x = back(x, jnp.asarray(1.0 - i * dt), sub)
    return x


def coverage(samples, data):
    d = np.linalg.norm(np.asarray(samples)[:, None] - data[None], axis=-1)
    return float((d.min(axis=0) < 0.1).mean())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", choices=DATA, default="moons")
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--lr", type=float, default=3e-4)
    parser.add_argument("--eval-every", type=int, default=100)
    args = parser.parse_args()

    data = DATA[args.data](10000).astype(np.float32)
    key = jr.PRNGKey(0)
    mkey, tkey, skey = jr.split(key, 3)
    model = Score(128, 3, mkey)
    opt = optax.adabelief(args.lr)
    opt_state = opt.init(eqx.filter(model, eqx.is_inexact_array))
    stream = batches(data, args.batch, np.random.default_rng(0))
    total = 0.0
    for step, x in zip(range(1, args.steps + 1), stream):
        tkey, sub = jr.split(tkey)
        loss, model, opt_state = make_step(model, x, sub, opt_state, opt.update)
        total += loss
        if step % args.eval_every == 0:
            skey, sub = jr.split(skey)
            points = sample(model, 500, sub)
            held_out = eqx.filter_jit(lambda m, b, k: batch_loss(m, b, k))(model, data[:1000], sub)  # finding: compiled-per-call
            print(step, float(total) / args.eval_every, float(held_out), coverage(points, data[:500]))
            total = 0.0
    np.save("samples.npy", np.asarray(sample(model, 5000, skey)))


if __name__ == "__main__":
    main()
