"""Train a Flax CNN on Food-101 read through TFDS."""
import argparse
import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
import tensorflow as tf
import tensorflow_datasets as tfds
from flax.training import train_state

SIZE = 160
tf.config.set_visible_devices([], "GPU")


def input_stream(split, batch, training):
    ds = tfds.load("food101", split=split, as_supervised=True, shuffle_files=training)

    def prep(image, label):
        image = tf.image.resize(image, [SIZE, SIZE])
        if training:
            image = tf.image.random_flip_left_right(image)
        return tf.cast(image, tf.float32) / 127.5 - 1.0, label

    if training:
        ds = ds.shuffle(8192).repeat()
    ds = ds.map(prep, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.batch(batch, drop_remainder=True)
    return tfds.as_numpy(ds.prefetch(tf.data.AUTOTUNE))


class Net(nn.Module):
    classes: int = 101

    @nn.compact
    def __call__(self, x):
        x = x.astype(jnp.bfloat16)
        for k, c in enumerate((64, 128, 256, 512)):
            x = nn.Conv(c, (3, 3), strides=2, dtype=jnp.bfloat16)(x)
            x = nn.gelu(nn.GroupNorm(16, dtype=jnp.bfloat16)(x))
            h = nn.Conv(c, (3, 3), dtype=jnp.bfloat16)(x)
            x = x + nn.gelu(nn.GroupNorm(16, dtype=jnp.bfloat16)(h))
        return nn.Dense(self.classes)(x.mean((1, 2)).astype(jnp.float32))


@functools.partial(jax.jit, donate_argnums=0)
def train_step(state, images, labels):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, images)
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


@jax.jit
def correct(state, images, labels):
    return (state.apply_fn({"params": state.params}, images).argmax(-1) == labels).sum()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=30_000)
    p.add_argument("--batch", type=int, default=256)
    args = p.parse_args()
    net = Net()
    params = net.init(jax.random.key(0), jnp.zeros((1, SIZE, SIZE, 3)))["params"]
    lr = optax.warmup_cosine_decay_schedule(0.0, 1e-3, 500, args.steps)
    state = train_state.TrainState.create(
        apply_fn=net.apply, params=params, tx=optax.adamw(lr, weight_decay=0.05))
    train = iter(input_stream("train", args.batch, True))
    for step in range(args.steps):
        state, loss = train_step(state, *next(train))
        if step % 250 == 0:
            print(step, float(loss))
    val = input_stream("validation", 500, False)
    hits = sum(correct(state, x, y) for x, y in val)
    print("top-1", int(hits) / 25_250)


if __name__ == "__main__":
    main()
