"""Small vision transformer on CIFAR-100 in Flax."""
import argparse

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
    def __call__(self, x):
        h = nn.LayerNorm()(x)
        x = x + nn.MultiHeadDotProductAttention(self.heads, qkv_features=self.dim)(h, h)
        h = nn.Dense(4 * self.dim)(nn.LayerNorm()(x))
        return x + nn.Dense(self.dim)(nn.gelu(h))


class ViT(nn.Module):
    dim: int = 192
    depth: int = 9
    heads: int = 3
    patch: int = 4
    classes: int = 100

    @nn.compact
    def __call__(self, x):
        x = nn.Conv(self.dim, (self.patch,) * 2, strides=(self.patch,) * 2)(x)
        x = x.reshape(x.shape[0], -1, self.dim)
        x = x + self.param("pos", nn.initializers.normal(0.02), (1, x.shape[1], self.dim))
        for _ in range(self.depth):
            x = Block(self.dim, self.heads)(x)
        return nn.Dense(self.classes)(nn.LayerNorm()(x).mean(1))


def create(key, steps, lr):
    model = ViT()
    params = model.init(key, jnp.zeros((1, 32, 32, 3)))["params"]
    schedule = optax.warmup_cosine_decay_schedule(0.0, lr, 1000, steps)
    return train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(schedule))


def train_step(state, image, label):
    image = image.astype(jnp.float32) / 127.5 - 1.0

    def loss_fn(params):
        logits = state.apply_fn({"params": params}, image)
        loss = optax.softmax_cross_entropy_with_integer_labels(logits, label).mean()
        return loss, (logits.argmax(-1) == label).mean()

    (loss, acc), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    return state.apply_gradients(grads=grads), {"loss": loss, "acc": acc}


def run_epoch(state, images, labels, batch_size, rng):
    order = rng.permutation(len(images))
    steps = len(images) // batch_size
    for i in range(steps):
        idx = order[i * batch_size : (i + 1) * batch_size]
        state, metrics = train_step(state, images[idx], labels[idx])
    return state, {k: float(v) for k, v in metrics.items()}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("data", help="npz with images (uint8) and labels")
    ap.add_argument("--epochs", type=int, default=100)
    ap.add_argument("--batch-size", type=int, default=512)
    ap.add_argument("--lr", type=float, default=1e-3)
    args = ap.parse_args()
    with np.load(args.data) as z:
        images, labels = z["images"], z["labels"].astype(np.int32)
    rng = np.random.default_rng(0)
    state = create(jax.random.key(0), args.epochs * (len(images) // args.batch_size), args.lr)
    for epoch in range(args.epochs):
        state, metrics = run_epoch(state, images, labels, args.batch_size, rng)
        print(epoch, metrics)


if __name__ == "__main__":
    main()
