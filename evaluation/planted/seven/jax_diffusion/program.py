"""Train a small trajectory diffusion model and sample from it."""
import os
import tempfile
import time

import jax
import jax.numpy as jnp
import numpy as np

from data import batches, make_trajectories
from model import init, loss_fn
from optim import Replay, adam_init, adam_update
from sampling import coverage, sample_many

EPOCHS, BATCH = 2, 32


def weight_at(step):
    return round(min(1.0, 0.8 + step / 30), 1)


def save(path, params, state):
    leaves = jax.tree.leaves((params, state))
    np.savez_compressed(path, *[np.asarray(x) for x in leaves])


def train_epoch(params, state, trajs, key, rng, step, replay, history, root):
    grad_fn = jax.jit(jax.grad(loss_fn), static_argnums=3)
    value_fn = jax.jit(lambda p, b, k, w: loss_fn(p, b, k, w), static_argnums=3)
    for batch in batches(trajs, BATCH, rng):
        key, k = jax.random.split(key)
        w = weight_at(step)
        grads = grad_fn(params, batch, k, w)
        loss = value_fn(params, batch, k, w)
        params, state = adam_update(params, grads, state)
        replay.add(batch)
        history.append({"step": step, "loss": loss, "params": params, "grads": grads})
        if step % 2 == 0:
            save(os.path.join(root, f"step{step}.npz"), params, state)
        step += 1
    return params, state, key, step, float(loss)


def main():
    rng = np.random.default_rng(0)
    key = jax.random.key(0)
    trajs = make_trajectories()
    params = init(key)
    state = adam_init(params)
    replay, history, step = Replay(), [], 0
    with tempfile.TemporaryDirectory() as root:
        for epoch in range(EPOCHS):
            t0 = time.time()
            params, state, key, step, loss = train_epoch(
                params, state, trajs, key, rng, step, replay, history, root)
            t1 = time.time()
            key, k = jax.random.split(key)
            samples = sample_many(params, k, 8)
            t2 = time.time()
            cov = coverage(samples, trajs)
            print(f"epoch {epoch}: loss {loss:.3f} coverage {cov:.3f} train {t1 - t0:.1f}s "
                  f"sample {t2 - t1:.1f}s eval {time.time() - t2:.1f}s", flush=True)
    norms = [float(jnp.sqrt(sum(jnp.sum(g * g) for g in jax.tree.leaves(h["grads"]))))
             for h in history]
    print("gradient norm", np.mean(norms), "negatives", replay.pos)


if __name__ == "__main__":
    main()
