"""Distil a ViT on satellite tiles.  JAX 0.10 / Flax linen / Optax."""
import argparse
import functools
from typing import Any, NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training import train_state


class ViT(nn.Module):
    width: int
    depth: int
    classes: int
    patch: int = 16

    @nn.compact
    def __call__(self, x, train=False):
        x = nn.Conv(self.width, (self.patch,) * 2, (self.patch,) * 2)(x)
        x = x.reshape(x.shape[0], -1, self.width)
        x = x + self.param("pos", nn.initializers.normal(0.02), (1, x.shape[1], self.width))
        for _ in range(self.depth):
            x = x + nn.MultiHeadDotProductAttention(self.width // 64)(nn.LayerNorm()(x))
            y = nn.gelu(nn.Dense(4 * self.width)(nn.LayerNorm()(x)))
            x = x + nn.Dense(self.width)(y)
        return nn.Dense(self.classes)(x.mean(1))


class Teacher(NamedTuple):
    model: Any
    params: Any


def kd_loss(params, apply_fn, x, soft, y, tau, alpha):
    logits = apply_fn({"params": params}, x)
    hard = optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()
    kl = optax.softmax_cross_entropy(logits / tau, jax.nn.softmax(soft / tau)).mean()
    return alpha * hard + (1 - alpha) * tau**2 * kl


@functools.partial(jax.jit, static_argnames=("tau",), donate_argnums=(0,))
def student_step(state, x, soft, y, alpha, tau=2.0):
    loss, g = jax.value_and_grad(kd_loss)(state.params, state.apply_fn, x, soft, y, tau, alpha)
    return state.apply_gradients(grads=g), loss


def hits(logits, y):
    return (logits.argmax(-1) == y).sum()


def loader(x, y, size, rng=None):
    order = np.arange(len(x)) if rng is None else rng.permutation(len(x))
    for lo in range(0, len(x) - size + 1, size):
        idx = order[lo : lo + size]
        yield jnp.asarray(x[idx]), jnp.asarray(y[idx])


def evaluate(state, x, y, size=256):
    forward = jax.jit(lambda p, xb: state.apply_fn({"params": p}, xb))  # finding: compiled-per-call
    count = jax.jit(hits)
    good = 0
    for xb, yb in loader(x, y, size):
        good += int(count(forward(state.params, xb), yb))
    return good / len(x)


def train_epoch(state, teacher, data, alpha, rng, size=256):
    losses = []

    @jax.jit  # finding: compiled-per-call
    def soft_targets(xb):
        return teacher.model.apply({"params": teacher.params}, xb)

    for xb, yb in loader(*data, size, rng):
        state, loss = student_step(state, xb, soft_targets(xb), yb, alpha)
        losses.append(loss)
    return state, float(jnp.stack(losses).mean())


def make_throughput_probe(model):
    """Compiled the once, by main."""
    @jax.jit
    def probe(params, x):
        return model.apply({"params": params}, x).sum()

    return probe


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=90)
    ap.add_argument("--data", default="tiles.npz")
    ap.add_argument("--teacher", default="teacher.npy")
    ns = ap.parse_args()
    z = np.load(ns.data)
    teacher = Teacher(ViT(768, 12, 45), np.load(ns.teacher, allow_pickle=True).item())
    model = ViT(192, 12, 45)
    params = model.init(jax.random.key(0), z["x"][:1])["params"]
    make_throughput_probe(model)(params, jnp.asarray(z["x"][:64])).block_until_ready()
    sched = optax.cosine_decay_schedule(1e-3, ns.epochs * (len(z["x"]) // 256))
    state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(sched))
    rng = np.random.default_rng(0)
    for epoch in range(ns.epochs):
        state, loss = train_epoch(state, teacher, (z["x"], z["y"]), max(0.1, 1 - epoch / 30), rng)
        print(epoch, loss, evaluate(state, z["vx"], z["vy"]))


if __name__ == "__main__":
    main()
