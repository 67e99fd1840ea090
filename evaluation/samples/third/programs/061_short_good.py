"""Intent classifier for the support chat, in plain JAX with optax.

Input: an .npz with `ids` (n, 512) int32, right-padded with 0, and `intent` (n,) int32.
"""
import argparse
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import optax


@dataclasses.dataclass(frozen=True)
class Hyper:
    vocabulary: int = 16_000
    dim: int = 128
    intents: int = 42
    batch: int = 32
    epochs: int = 5
    lr: float = 1e-3


class MessageBatches:
    """Iterates over (ids, mask, intent), shuffled anew each time."""

    def __init__(self, ids, intent, batch, seed=0):
        self.ids, self.intent, self.batch = ids, intent, batch
        self.lengths = np.maximum((ids != 0).sum(axis=1), 1)
        self.rng = np.random.default_rng(seed)

    def trim(self, rows):
        """Padding that no message of the batch needs is cut away, in steps of 64 tokens."""
        width = -(-int(self.lengths[rows].max()) // 64) * 64
        return self.ids[rows, :width]

    def __iter__(self):
        order = self.rng.permutation(len(self.ids))
        for start in range(0, len(order) - self.batch + 1, self.batch):
            rows = order[start:start + self.batch]
            ids = self.trim(rows)
            yield ids, ids != 0, self.intent[rows]


def init_params(key, hp):
    keys = jax.random.split(key, 5)
    scale = hp.dim**-0.5
    return {
        "embed": jax.random.normal(keys[0], (hp.vocabulary, hp.dim)) * 0.02,
        "qkv": jax.random.normal(keys[1], (hp.dim, 3 * hp.dim)) * scale,
        "mix": jax.random.normal(keys[2], (hp.dim, hp.dim)) * scale,
        "hidden": jax.random.normal(keys[3], (hp.dim, hp.dim)) * scale,
        "head": jax.random.normal(keys[4], (hp.dim, hp.intents)) * scale,
    }


def logits_of(params, ids, mask):
    x = params["embed"][ids]
    q, k, v = jnp.split(x @ params["qkv"], 3, axis=-1)
    scores = jnp.einsum("bqd,bkd->bqk", q, k) * q.shape[-1] ** -0.5
    scores = jnp.where(mask[:, None, :], scores, -1e9)
    x = x + jax.nn.softmax(scores) @ v @ params["mix"]
    weight = mask[..., None].astype(x.dtype)
    pooled = (x * weight).sum(axis=1) / jnp.maximum(weight.sum(axis=1), 1.0)
    return jax.nn.gelu(pooled @ params["hidden"]) @ params["head"]


def make_step(optimizer):
    def loss_fn(params, ids, mask, intent):
        logits = logits_of(params, ids, mask)
        return optax.softmax_cross_entropy_with_integer_labels(logits, intent).mean()

    @jax.jit
    def step(params, opt_state, ids, mask, intent):
        loss, grads = jax.value_and_grad(loss_fn)(params, ids, mask, intent)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return step


def train(messages, hp, seed):
    params = init_params(jax.random.key(seed), hp)
    optimizer = optax.adamw(hp.lr, weight_decay=1e-4)
    opt_state = optimizer.init(params)
    step = make_step(optimizer)
    for epoch in range(hp.epochs):
        losses = []
        for ids, mask, intent in messages:
            params, opt_state, loss = step(params, opt_state, ids, mask, intent)
            losses.append(loss)
        print(f"epoch {epoch}: loss {float(jnp.stack(losses).mean()):.4f}")
    return params


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("messages", help=".npz of token ids and intents")
    ap.add_argument("--epochs", type=int, default=Hyper.epochs)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--out", default="intent.npz")
    args = ap.parse_args()
    hp = Hyper(epochs=args.epochs)
    with np.load(args.messages) as data:
        messages = MessageBatches(data["ids"], data["intent"], hp.batch, args.seed)
    params = train(messages, hp, args.seed)
    np.savez(args.out, **{name: np.asarray(value) for name, value in params.items()})


if __name__ == "__main__":
    main()
