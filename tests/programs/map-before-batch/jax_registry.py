# requires: tensorflow==2.12.*, jax, flax, optax, tensorflow-datasets
"""Training of small vision models in JAX; tf.data only feeds them."""
import argparse
import functools
import time
from typing import Any, Callable, Dict, NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
import tensorflow as tf
import tensorflow_datasets as tfds
from flax.training import train_state

tf.config.set_visible_devices([], "GPU")


class Task(NamedTuple):
    tfds_name: str
    classes: int
    prepare: Callable[[Dict[str, Any]], Dict[str, Any]]


def prepare_grey(example):
    image = tf.cast(example["image"], tf.float32) / 255.0
    return {"x": (image - 0.1307) / 0.3081, "y": example["label"]}


def prepare_colour(example):
    mean = tf.constant([0.4914, 0.4822, 0.4465])
    std = tf.constant([0.2470, 0.2435, 0.2616])
    image = tf.image.convert_image_dtype(example["image"], tf.float32)
    return {"x": (image - mean) / std, "y": example["label"]}


TASKS = {
    "mnist": Task("mnist", 10, prepare_grey),
    "fashion": Task("fashion_mnist", 10, prepare_grey),
    "cifar10": Task("cifar10", 10, prepare_colour),
    "cifar100": Task("cifar100", 100, prepare_colour),
}


def batches(task, split, batch_size, seed=None):
    ds = tfds.load(task.tfds_name, split=split)
    ds = ds.cache()
    if seed is not None:
        ds = ds.shuffle(50_000, seed=seed)
    ds = ds.map(task.prepare, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
    ds = ds.batch(batch_size, drop_remainder=True)
    return tfds.as_numpy(ds.prefetch(tf.data.AUTOTUNE))


class Net(nn.Module):
    classes: int

    @nn.compact
    def __call__(self, x):
        for width in (32, 64, 128):
            x = nn.relu(nn.Conv(width, (3, 3))(x))
            x = nn.avg_pool(x, (2, 2), strides=(2, 2))
        x = x.mean(axis=(1, 2))
        return nn.Dense(self.classes)(x)


@jax.jit
def train_step(state, batch):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, batch["x"])
        loss = optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"]).mean()
        return loss, logits

    (loss, logits), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    return state.apply_gradients(grads=grads), loss


@jax.jit
def correct(state, batch):
    logits = state.apply_fn({"params": state.params}, batch["x"])
    return jnp.sum(jnp.argmax(logits, -1) == batch["y"])


def create_state(task, key, example, lr):
    net = Net(task.classes)
    params = net.init(key, example)["params"]
    return train_state.TrainState.create(apply_fn=net.apply, params=params, tx=optax.adamw(lr))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("task", choices=sorted(TASKS))
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()
    task = TASKS[args.task]
    load = functools.partial(batches, task, batch_size=args.batch)
    first = next(iter(load("test")))
    state = create_state(task, jax.random.PRNGKey(0), first["x"], args.lr)
    for epoch in range(args.epochs):
        start = time.perf_counter()
        losses = []
        for batch in load("train", seed=epoch):
            state, loss = train_step(state, batch)
            losses.append(loss)
        hits = total = 0
        for batch in load("test"):
            hits += correct(state, batch)
            total += len(batch["y"])
        mean = jnp.stack(losses).mean()
        print(f"{epoch}: loss {mean:.3f} acc {hits / total:.3f} in {time.perf_counter() - start:.1f}s")


if __name__ == "__main__":
    main()
