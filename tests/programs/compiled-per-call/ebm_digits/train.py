"""python train.py --epochs 30"""
import argparse
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
import tensorflow_datasets as tfds

from model import init
from sampler import ReplayPool, langevin


def load():
    ds = tfds.load("mnist", split="train", batch_size=-1)
    images = tfds.as_numpy(ds)["image"].astype(np.float32)
    return images / 127.5 - 1.0


def loss_fn(params, apply_fn, real, fake, alpha):
    e_real, e_fake = apply_fn(params, real), apply_fn(params, fake)
    contrastive = e_real.mean() - e_fake.mean()
    reg = alpha * (e_real**2 + e_fake**2).mean()
    return contrastive + reg


def update(params, opt_state, real, fake, *, apply_fn, tx, alpha):
    loss, grads = jax.value_and_grad(loss_fn)(params, apply_fn, real, fake, alpha)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


def batches(images, size, rng):
    order = rng.permutation(len(images))
    for start in range(0, len(order) - size + 1, size):
        yield images[order[start : start + size]]


def score_outliers(energy, params, sets):
    """Mean energy of each held-out set."""
    out = {}
    for name, images in sets.items():
        fn = jax.jit(partial(energy, params))  # note: compiled-per-call
        out[name] = float(fn(jnp.asarray(images)).mean())
    return out


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=30)
    ap.add_argument("--batch", type=int, default=128)
    ap.add_argument("--lr", type=float, default=1e-4)
    ap.add_argument("--alpha", type=float, default=0.1)
    args = ap.parse_args()

    images = load()
    train, held_out = images[:-1000], images[-1000:]
    rng = np.random.default_rng(1)
    key = jax.random.PRNGKey(1)
    key, k_init, k_pool = jax.random.split(key, 3)
    net, params = init(k_init)
    tx = optax.chain(optax.clip_by_global_norm(0.1), optax.adam(args.lr, b1=0.0))
    opt_state = tx.init(params)
    pool = ReplayPool(k_pool, 8192, (28, 28, 1))
    sets = {
        "held out": held_out,
        "flipped": held_out[:, ::-1],
        "noise": rng.uniform(-1, 1, held_out.shape).astype(np.float32),
    }

    for epoch in range(args.epochs):
        for real in batches(train, args.batch, rng):
            key, k_draw, k_mc = jax.random.split(key, 3)
            idx, start = pool.draw(k_draw, args.batch)
            fake = langevin(net.apply, params, start, k_mc)
            pool.put(idx, fake)
            step = jax.jit(partial(update, apply_fn=net.apply, tx=tx, alpha=args.alpha))  # finding: compiled-per-call
            params, opt_state, loss = step(params, opt_state, jnp.asarray(real), fake)
        print(epoch, float(loss), score_outliers(net.apply, params, sets))


if __name__ == "__main__":
    main()
