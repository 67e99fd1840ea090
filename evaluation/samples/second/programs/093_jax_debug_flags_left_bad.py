"""Train a small transformer policy on logged trajectories."""
import argparse
import functools
import os

os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.85")
os.environ["JAX_DISABLE_JIT"] = "1"

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training import train_state


class Block(nn.Module):
    dim: int
    heads: int

    @nn.compact
    def __call__(self, x, mask):
        h = nn.LayerNorm()(x)
        x = x + nn.MultiHeadDotProductAttention(self.heads)(h, mask=mask)
        h = nn.Dense(4 * self.dim)(nn.LayerNorm()(x))
        return x + nn.Dense(self.dim)(nn.gelu(h))


class Policy(nn.Module):
    actions: int
    dim: int = 192
    depth: int = 4
    heads: int = 6

    @nn.compact
    def __call__(self, obs):
        n = obs.shape[1]
        x = nn.Dense(self.dim)(obs) + self.param("pos", nn.initializers.normal(0.02), (n, self.dim))
        mask = nn.make_causal_mask(jnp.ones(obs.shape[:2]))
        for _ in range(self.depth):
            x = Block(self.dim, self.heads)(x, mask)
        return nn.Dense(self.actions)(nn.LayerNorm()(x))


@functools.partial(jax.jit, donate_argnums=0)
def learn(state, obs, act):
    def objective(params):
        logits = state.apply_fn({"params": params}, obs)
        return optax.softmax_cross_entropy_with_integer_labels(logits, act).mean()

    value, grads = jax.value_and_grad(objective)(state.params)
    return state.apply_gradients(grads=grads), value


def slices(blob, length, batch, rng):
    obs, act = blob["obs"].astype("float32"), blob["act"].astype("int32")
    offsets = np.arange(length)
    while True:
        start = rng.integers(0, len(obs) - length, batch)
        idx = start[:, None] + offsets
        yield obs[idx], act[idx]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("log")
    ap.add_argument("--steps", type=int, default=20_000)
    ap.add_argument("--length", type=int, default=64)
    ap.add_argument("--batch", type=int, default=128)
    args = ap.parse_args()
    blob = np.load(args.log)
    feed = slices(blob, args.length, args.batch, np.random.default_rng(0))
    net = Policy(actions=int(blob["act"].max()) + 1)
    obs, _ = next(feed)
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(3e-4))
    state = train_state.TrainState.create(
        apply_fn=net.apply, params=net.init(jax.random.key(0), obs)["params"], tx=tx
    )
    for step in range(args.steps):
        state, value = learn(state, *next(feed))
        if step % 500 == 0:
            print(step, float(value))


if __name__ == "__main__":
    main()
