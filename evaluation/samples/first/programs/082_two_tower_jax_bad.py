"""Two-tower retrieval model, user tower trained against item features."""
import argparse
import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Tower(nn.Module):
    width: int = 512
    out: int = 128

    @nn.compact
    def __call__(self, x):
        x = nn.gelu(nn.Dense(self.width)(x))
        x = nn.LayerNorm()(nn.gelu(nn.Dense(self.width)(x)))
        return nn.Dense(self.out)(x)


class TwoTower(nn.Module):
    @nn.compact
    def __call__(self, user, item):
        u = Tower(name="user")(user)
        v = Tower(name="item")(item)
        u = u / jnp.linalg.norm(u, axis=-1, keepdims=True)
        v = v / jnp.linalg.norm(v, axis=-1, keepdims=True)
        return u @ v.T


class Retrieval:
    def __init__(self, users, items, lr):
        self.users = users
        self.items = items
        self.net = TwoTower()
        self.tx = optax.adamw(lr)
        self.params = self.net.init(
            jax.random.key(0), jnp.asarray(users[:1]), jnp.asarray(items[:1]))
        self.opt_state = self.tx.init(self.params)

    @functools.partial(jax.jit, static_argnums=0, donate_argnums=(1, 2))
    def _step(self, params, opt_state, table, user, item_ids):
        def loss_fn(p):
            scores = self.net.apply(p, user, table[item_ids]) / 0.05
            target = jnp.arange(scores.shape[0])
            return optax.softmax_cross_entropy_with_integer_labels(scores, target).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = self.tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    def fit(self, clicks, steps, batch, log_every=500):
        rng = np.random.default_rng(1)
        for step in range(steps):
            rows = clicks[rng.integers(len(clicks), size=batch)]
            user = jax.device_put(self.users[rows[:, 0]])
            table = jax.device_put(self.items)
            self.params, self.opt_state, loss = self._step(
                self.params, self.opt_state, table, user, rows[:, 1])
            if step % log_every == 0:
                print(step, float(loss))
        return self.params


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data", help="npz with users, items, clicks")
    p.add_argument("--steps", type=int, default=50_000)
    p.add_argument("--batch", type=int, default=2048)
    p.add_argument("--lr", type=float, default=5e-4)
    args = p.parse_args()
    z = np.load(args.data)
    users = z["users"].astype(np.float32)
    items = z["items"].astype(np.float32)
    job = Retrieval(users, items, args.lr)
    params = job.fit(z["clicks"].astype(np.int32), args.steps, args.batch)
    flat, _ = jax.tree_util.tree_flatten(params)
    np.savez("two_tower.npz", *jax.device_get(flat))


if __name__ == "__main__":
    main()
