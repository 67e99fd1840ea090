"""MAML on sinusoids plus a fine-tuning sweep.  JAX 0.10 / optax."""
import argparse
import functools
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax

KEY = jax.random.key(0)


def init(key, sizes=(1, 64, 64, 1)):
    keys = jax.random.split(key, len(sizes) - 1)
    return [(jax.random.normal(k, (i, o)) * np.sqrt(2 / i), jnp.zeros(o)) for k, i, o in zip(keys, sizes, sizes[1:])]


def net(params, x):
    for w, b in params[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = params[-1]
    return x @ w + b


def mse(params, x, y):
    return jnp.mean((net(params, x) - y) ** 2)


def adapt(params, x, y, alpha, inner):
    for _ in range(inner):
        g = jax.grad(mse)(params, x, y)
        params = jax.tree.map(lambda p, d: p - alpha * d, params, g)
    return params


def meta_loss(params, tasks, alpha, inner):
    def one(xs, ys, xq, yq):
        return mse(adapt(params, xs, ys, alpha, inner), xq, yq)

    return jnp.mean(jax.vmap(one)(*tasks))


def sample_tasks(rng, n, k=10):
    amp, ph = rng.uniform(0.1, 5, (n, 1, 1)), rng.uniform(0, np.pi, (n, 1, 1))
    x = rng.uniform(-5, 5, (n, 2 * k, 1)).astype("float32")
    y = (amp * np.sin(x + ph)).astype("float32")
    return x[:, :k], y[:, :k], x[:, k:], y[:, k:]


def meta_train(params, args):
    opt = optax.adam(1e-3)
    state = opt.init(params)
    rng = np.random.default_rng(args.seed)

    @jax.jit
    def update(params, state, tasks):
        loss, g = jax.value_and_grad(meta_loss)(params, tasks, args.alpha, args.inner)
        up, state = opt.update(g, state)
        return optax.apply_updates(params, up), state, loss

    for it in range(args.iters):
        params, state, loss = update(params, state, sample_tasks(rng, args.tasks))
        if it % 1000 == 0:
            q = sample_tasks(rng, 512)
            print(it, float(loss), float(jax.jit(meta_loss, static_argnums=(2, 3))(params, q, args.alpha, args.inner)))
    return params


def finetune(params, xs, ys, lr, steps):
    """Plain SGD from the meta-initialisation on one task."""
    sgd = optax.sgd(lr, momentum=0.9)
    state = sgd.init(params)
    step = jax.jit(lambda p, s: _sgd(p, s, xs, ys, sgd))  # finding: compiled-per-call
    for _ in range(steps):
        params, state = step(params, state)
    return params


def _sgd(params, state, xs, ys, tx):
    up, state = tx.update(jax.grad(mse)(params, xs, ys), state)
    return optax.apply_updates(params, up), state


def sweep(params, n_tasks=400):
    rng = np.random.default_rng(99)
    xs, ys, xq, yq = sample_tasks(rng, n_tasks)
    table = []
    for i in range(n_tasks):
        tuned = finetune(params, xs[i], ys[i], 0.01, 20)
        gap = jax.jit(functools.partial(mse, tuned))(xq[i], yq[i])  # finding: compiled-per-call
        base = jax.jit(mse)(params, xq[i], yq[i])
        table.append((float(base), float(gap)))
    return np.array(table)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--iters", type=int, default=30000)
    ap.add_argument("--tasks", type=int, default=25)
    ap.add_argument("--inner", type=int, default=1)
    ap.add_argument("--alpha", type=float, default=0.01)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    t0 = time.time()
    theta = meta_train(init(KEY), args)
    print("meta", time.time() - t0)
    print(sweep(theta).mean(0))
