"""ViT for the leaf data, flax + optax.  The whole step is one jitted program."""
import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training import train_state


def sincos_2d(h, w, dim, temperature=10_000.0):
    y, x = jnp.meshgrid(jnp.arange(h), jnp.arange(w), indexing="ij")
    omega = 1.0 / temperature ** (jnp.arange(dim // 4) / (dim // 4 - 1))
    y, x = y.reshape(-1, 1) * omega, x.reshape(-1, 1) * omega
    return jnp.concatenate([jnp.sin(x), jnp.cos(x), jnp.sin(y), jnp.cos(y)], axis=1)


class Block(nn.Module):
    heads: int
    dim: int

    @nn.compact
    def __call__(self, x):
        x = x + nn.SelfAttention(self.heads)(nn.LayerNorm()(x))
        y = nn.gelu(nn.Dense(4 * self.dim)(nn.LayerNorm()(x)))
        return x + nn.Dense(self.dim)(y)


class ViT(nn.Module):
    classes: int
    dim: int = 384
    depth: int = 12
    heads: int = 6
    patch: int = 16

    @nn.compact
    def __call__(self, images):
        x = nn.Conv(self.dim, (self.patch, self.patch), strides=(self.patch, self.patch))(images)
        b, h, w, c = x.shape
        x = x.reshape(b, h * w, c) + sincos_2d(h, w, c)
        for _ in range(self.depth):
            x = Block(self.heads, self.dim)(x)
        return nn.Dense(self.classes)(nn.LayerNorm()(x).mean(axis=1))


@jax.jit
def train_step(state, images, labels):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, images)
        smooth = optax.smooth_labels(jax.nn.one_hot(labels, logits.shape[-1]), 0.1)
        return optax.softmax_cross_entropy(logits, smooth).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


@functools.partial(jax.jit, static_argnames="apply_fn")
def predict(apply_fn, params, images):
    return apply_fn({"params": params}, images).argmax(-1)


def evaluate(state, images, labels, size=256):
    hits = 0
    for i in range(0, len(images), size):
        hits += np.sum(np.asarray(predict(state.apply_fn, state.params, images[i:i + size])) == labels[i:i + size])
    return hits / len(images)


def main(epochs=50, batch=128, seed=0):
    data = np.load("leaves.npz")
    model = ViT(classes=int(data["labels"].max()) + 1)
    params = model.init(jax.random.PRNGKey(seed), jnp.zeros((1, 224, 224, 3)))["params"]
    steps = epochs * (len(data["images"]) // batch)
    tx = optax.adamw(optax.warmup_cosine_decay_schedule(0.0, 1e-3, steps // 20, steps), weight_decay=0.05)
    state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=tx)
    images, labels = data["images"], data["labels"]
    mean, std = images.mean((0, 1, 2)), images.std((0, 1, 2))
    images = (images - mean) / std
    rng = np.random.default_rng(seed)
    for epoch in range(epochs):
        order = rng.permutation(len(images))
        for i in range(0, len(order) - batch + 1, batch):
            rows = order[i:i + batch]
            state, loss = train_step(state, images[rows], labels[rows])
        print(epoch, float(loss), evaluate(state, images[:1024], labels[:1024]))


if __name__ == "__main__":
    main()
