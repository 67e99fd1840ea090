# requires: jax==0.4.20
"""Trains and evaluates the radar classifier (Haiku)."""
import argparse
import pickle

import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
import optax


def net_fn(x, is_training):
    mlp = hk.Sequential([hk.Flatten(), hk.Linear(512), jax.nn.relu, hk.Linear(512), jax.nn.relu])
    h = mlp(x)
    if is_training:
        h = hk.dropout(hk.next_rng_key(), 0.3, h)
    return hk.Linear(12)(h)


net = hk.transform(net_fn)


def loss_fn(params, key, x, y):
    logits = net.apply(params, key, x, True)
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def batches(x, y, size, rng=None):
    order = rng.permutation(len(x)) if rng is not None else np.arange(len(x))
    for start in range(0, len(x) - size + 1, size):
        idx = order[start:start + size]
        yield x[idx], y[idx]


def evaluate(params, x, y, size=512):
    hits = 0
    total = 0
    for bx, by in batches(x, y, size):
        predict = jax.jit(lambda p, b: net.apply(p, None, b, False).argmax(-1))  # finding: compiled-per-call
        hits += int((predict(params, bx) == by).sum())
        total += len(by)
    return hits / total


def train(args):
    data = np.load(args.data)
    x, y = data["x"].astype(np.float32), data["y"].astype(np.int32)
    cut = int(0.9 * len(x))
    key = jax.random.PRNGKey(args.seed)
    params = net.init(key, jnp.zeros((1,) + x.shape[1:]), True)
    opt = optax.adam(args.lr)
    state = opt.init(params)

    @jax.jit
    def update(params, state, key, bx, by):
        loss, grads = jax.value_and_grad(loss_fn)(params, key, bx, by)
        updates, state = opt.update(grads, state)
        return optax.apply_updates(params, updates), state, loss

    rng = np.random.default_rng(args.seed)
    for epoch in range(args.epochs):
        losses = []
        for bx, by in batches(x[:cut], y[:cut], args.batch, rng):
            key, sub = jax.random.split(key)
            params, state, loss = update(params, state, sub, bx, by)
            losses.append(loss)
        print(epoch, float(np.mean(losses)), evaluate(params, x[cut:], y[cut:]))
    return params


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data")
    p.add_argument("--epochs", type=int, default=30)
    p.add_argument("--batch", type=int, default=128)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--seed", type=int, default=0)
    params = train(p.parse_args())
    with open("params.pkl", "wb") as f:
        pickle.dump(jax.device_get(params), f)


if __name__ == "__main__":
    main()
