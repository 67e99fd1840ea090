"""Decoder-only pretraining on token shards with Flax."""
import argparse
import functools
import time
from pathlib import Path

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import serialization
from flax.training import train_state


class Layer(nn.Module):
    width: int
    heads: int

    @nn.compact
    def __call__(self, x, mask):
        h = nn.LayerNorm(dtype=jnp.bfloat16)(x)
        h = nn.MultiHeadDotProductAttention(self.heads, dtype=jnp.bfloat16)(h, mask=mask)
        x = x + h
        h = nn.LayerNorm(dtype=jnp.bfloat16)(x)
        h = nn.Dense(4 * self.width, dtype=jnp.bfloat16)(h)
        return x + nn.Dense(self.width, dtype=jnp.bfloat16)(nn.gelu(h))


class Decoder(nn.Module):
    vocab: int = 50304
    width: int = 1536
    depth: int = 24
    context: int = 1024

    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(self.vocab, self.width, dtype=jnp.bfloat16)(tokens)
        x = x + nn.Embed(self.context, self.width, dtype=jnp.bfloat16)(
            jnp.arange(tokens.shape[1]))
        mask = nn.make_causal_mask(tokens)
        for _ in range(self.depth):
            x = Layer(self.width, self.width // 64)(x, mask)
        return nn.Dense(self.vocab, dtype=jnp.bfloat16)(x).astype(jnp.float32)


@functools.partial(jax.jit, donate_argnums=(0,))
def update(state, tokens):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, tokens[:, :-1])
        ce = optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:])
        return ce.mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def stream(shards, batch, length, seed=0):
    rng = np.random.default_rng(seed)
    maps = [np.memmap(s, dtype=np.uint16, mode="r") for s in shards]
    while True:
        data = maps[rng.integers(len(maps))]
        at = rng.integers(0, len(data) - length - 1, size=batch)
        yield data[at[:, None] + np.arange(length + 1)].astype(np.int32)


def create_state(model, rng, steps, lr, context):
    params = jax.jit(model.init)(rng, jnp.zeros((1, context), jnp.int32))["params"]
    sched = optax.warmup_cosine_decay_schedule(0.0, lr, 2000, steps)
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(sched, weight_decay=0.1))
    return train_state.TrainState.create(apply_fn=model.apply, params=params, tx=tx)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("shards", nargs="+", type=Path)
    p.add_argument("--steps", type=int, default=100_000)
    p.add_argument("--batch", type=int, default=16)
    p.add_argument("--lr", type=float, default=3e-4)
    args = p.parse_args()
    model = Decoder()
    state = create_state(model, jax.random.key(0), args.steps, args.lr, model.context)
    batches = stream(args.shards, args.batch, model.context)
    began = time.time()
    for step in range(args.steps):
        state, loss = update(state, next(batches))
        if step % 200 == 0:
            print(step, float(loss), f"{time.time() - began:.0f}s", flush=True)
    Path("params.msgpack").write_bytes(serialization.to_bytes(state.params))


if __name__ == "__main__":
    main()
