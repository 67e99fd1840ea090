import argparse
from typing import NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax


class State(NamedTuple):
    params: dict
    opt: optax.OptState
    ema: dict


class DeepSet(nn.Module):
    width: int = 256
    n_out: int = 6

    @nn.compact
    def __call__(self, x, mask):
        for _ in range(3):
            x = nn.gelu(nn.Dense(self.width)(x))
        x = (x * mask[..., None]).sum(1) / mask.sum(1, keepdims=True).clip(1.0)
        for _ in range(2):
            x = nn.gelu(nn.Dense(self.width)(x))
        return nn.Dense(self.n_out)(x)


def make_update(net, tx, decay):
    def objective(params, batch):
        logits = net.apply({"params": params}, batch["points"], batch["mask"])
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()

    def update(state, batch):
        value, grads = jax.value_and_grad(objective)(state.params, batch)
        delta, opt = tx.update(grads, state.opt, state.params)
        params = optax.apply_updates(state.params, delta)
        ema = optax.incremental_update(params, state.ema, 1 - decay)
        return State(params, opt, ema), value

    return update


def stream(path, size, rng):
    data = np.load(path)
    n = len(data["label"])
    points, mask, label = data["points"], data["mask"], data["label"]
    while True:
        idx = rng.integers(0, n, size)
        yield {"points": points[idx], "mask": mask[idx], "label": label[idx]}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("npz")
    ap.add_argument("--steps", type=int, default=40_000)
    ap.add_argument("--batch", type=int, default=256)
    ap.add_argument("--lr", type=float, default=1e-3)
    args = ap.parse_args()

    feed = stream(args.npz, args.batch, np.random.default_rng(0))
    first = next(feed)
    net = DeepSet()
    params = net.init(jax.random.key(0), first["points"], first["mask"])["params"]
    tx = optax.adamw(optax.cosine_decay_schedule(args.lr, args.steps))
    state = State(params, tx.init(params), jax.tree.map(jnp.copy, params))
    update = make_update(net, tx, decay=0.999)
    for step in range(1, args.steps + 1):
        state, value = update(state, next(feed))
        if step % 500 == 0:
            print(step, float(value))
    np.savez("jets.npz", **{"/".join(map(str, k)): v for k, v in jax.tree_util.tree_leaves_with_path(state.ema)})


if __name__ == "__main__":
    main()
