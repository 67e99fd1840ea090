# requires: jax[tpu]==0.3.17
"""Data-parallel training on a TPU host."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from flax.training import train_state
from flax.jax_utils import replicate, unreplicate
from absl import app, flags

flags.DEFINE_integer("epochs", 90, "")
flags.DEFINE_integer("batch", 1024, "over all devices")
flags.DEFINE_float("smooth", 0.1, "label smoothing")
flags.DEFINE_string("data", "gs://bucket/imgnet64", "")
FLAGS = flags.FLAGS


class Net(nn.Module):
    classes: int = 1000

    @nn.compact
    def __call__(self, x):
        for width in (64, 128, 256, 512):
            x = nn.relu(nn.GroupNorm()(nn.Conv(width, (3, 3))(x)))
            x = nn.avg_pool(x, (2, 2), (2, 2))
        return nn.Dense(self.classes)(x.mean((1, 2)))


def smoothed(labels, classes, smooth):
    one = jax.nn.one_hot(labels, classes)
    return one * (1 - smooth) + smooth / classes


def train_on(state, batch, smooth):
    def step(state, batch):
        def loss_fn(params):
            logits = state.apply_fn({"params": params}, batch["image"])
            target = smoothed(batch["label"], logits.shape[-1], smooth)
            return optax.softmax_cross_entropy(logits, target).mean()

        loss, grads = jax.value_and_grad(loss_fn)(state.params)
        grads = jax.lax.pmean(grads, "devices")
        return state.apply_gradients(grads=grads), jax.lax.pmean(loss, "devices")

    return jax.pmap(step, axis_name="devices")(state, batch)  # finding: compiled-per-call


@jax.pmap
def correct(state, batch):
    logits = state.apply_fn({"params": state.params}, batch["image"])
    return (logits.argmax(-1) == batch["label"]).sum()


def shard(batch):
    n = jax.local_device_count()
    return {k: v.reshape((n, -1) + v.shape[1:]) for k, v in batch.items()}


def load(split):
    import tensorflow as tf

    files = tf.io.gfile.glob("%s/%s-*.npz" % (FLAGS.data, split))
    for name in files:
        with tf.io.gfile.GFile(name, "rb") as f:
            part = np.load(f)
            image, label = part["image"].astype(np.float32) / 255, part["label"]
        for i in range(0, len(image) - FLAGS.batch + 1, FLAGS.batch):
            yield shard({"image": image[i:i + FLAGS.batch], "label": label[i:i + FLAGS.batch]})


def main(_):
    net = Net()
    params = net.init(jax.random.PRNGKey(0), jnp.zeros((1, 64, 64, 3)))["params"]
    state = train_state.TrainState.create(apply_fn=net.apply, params=params, tx=optax.sgd(0.1, 0.9, nesterov=True))
    state = replicate(state)
    for epoch in range(FLAGS.epochs):
        for batch in load("train"):
            state, loss = train_on(state, batch, FLAGS.smooth)
        hits = sum(int(correct(state, b).sum()) for b in load("valid"))
        print(epoch, float(unreplicate(loss)), hits)


if __name__ == "__main__":
    app.run(main)
