# requires: tensorflow==2.15.*
"""A ViT in JAX, fed by tf.data: randomness is stateless, so maps are made parallel by default."""

import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
import tensorflow as tf
from flax.training import train_state

PATCH, WIDTH, DEPTH = 16, 384, 12


def decode(path, label):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    return image, label


def crop(data, index, size):
    image, label = data
    seed = tf.stack([tf.cast(index, tf.int32), 17])
    begin, extent, _ = tf.image.stateless_sample_distorted_bounding_box(
        tf.shape(image), tf.zeros([1, 0, 4]), seed=seed, min_object_covered=0.1, use_image_if_no_bounding_boxes=True
    )
    image = tf.image.resize(tf.slice(image, begin, extent), [size, size])
    image = tf.image.stateless_random_flip_left_right(image, seed)
    return image / 127.5 - 1.0, label


def dataset(paths, labels, batch_size, size):
    ds = tf.data.Dataset.from_tensor_slices((paths, labels)).shuffle(len(paths)).repeat()
    ds = ds.map(decode)
    ds = tf.data.Dataset.zip((ds, tf.data.experimental.Counter()))
    ds = ds.map(functools.partial(crop, size=size))
    return ds.batch(batch_size, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


class Block(nn.Module):
    @nn.compact
    def __call__(self, x):
        y = nn.LayerNorm()(x)
        x = x + nn.SelfAttention(num_heads=6)(y)
        y = nn.gelu(nn.Dense(4 * WIDTH)(nn.LayerNorm()(x)))
        return x + nn.Dense(WIDTH)(y)


class ViT(nn.Module):
    classes: int

    @nn.compact
    def __call__(self, images):
        x = nn.Conv(WIDTH, (PATCH, PATCH), strides=(PATCH, PATCH))(images)
        x = x.reshape(x.shape[0], -1, WIDTH)
        x = x + self.param("positions", nn.initializers.normal(0.02), (1, x.shape[1], WIDTH))
        for _ in range(DEPTH):
            x = Block()(x)
        return nn.Dense(self.classes)(nn.LayerNorm()(x).mean(axis=1))


def create(key, classes, size, steps):
    model = ViT(classes)
    params = model.init(key, jnp.zeros((1, size, size, 3)))
    schedule = optax.warmup_cosine_decay_schedule(0.0, 1e-3, 1000, steps)
    return train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(schedule, weight_decay=0.1))


@jax.jit
def update(state, images, labels):
    def loss_fn(params):
        logits = state.apply_fn(params, images)
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def train(paths, labels, classes, steps=90_000, batch_size=256, size=224):
    state = create(jax.random.PRNGKey(0), classes, size, steps)
    batches = dataset(paths, labels, batch_size, size).as_numpy_iterator()
    for step in range(steps):
        images, targets = next(batches)
        state, loss = update(state, images, targets)
        if step % 500 == 0:
            print(step, float(loss))
    return state


if __name__ == "__main__":
    with open("train.txt") as f:
        rows = [line.split() for line in f]
    train([r[0] for r in rows], [int(r[1]) for r in rows], classes=200)
