# requires: tensorflow==2.15.0
"""A CNN for MNIST and fashion in Flax; the data come through tensorflow_datasets."""
from absl import app, flags, logging
from clu import metrics
from flax import linen as nn
from flax import struct
from flax.training import train_state
import jax
import jax.numpy as jnp
import optax
import tensorflow as tf
import tensorflow_datasets as tfds

_DATASET = flags.DEFINE_string('dataset', 'mnist', 'mnist or fashion_mnist')
_BATCH = flags.DEFINE_integer('batch_size', 128, 'examples per step')
_EPOCHS = flags.DEFINE_integer('epochs', 10, 'passes over the data')
_RATE = flags.DEFINE_float('learning_rate', 0.01, 'of the optimizer')


def get_datasets(name, batch_size):
  """Training and test data as batches of dictionaries."""
  train_ds = tfds.load(name, split='train')
  test_ds = tfds.load(name, split='test')

  train_ds = train_ds.map(lambda sample: {  # finding: map-before-batch
      'image': tf.cast(sample['image'], tf.float32) / 255.,
      'label': sample['label']})
  train_ds = train_ds.repeat().shuffle(1024)
  train_ds = train_ds.batch(batch_size, drop_remainder=True).prefetch(1)

  test_ds = test_ds.batch(batch_size, drop_remainder=True)
  test_ds = test_ds.map(lambda sample: {
      'image': tf.cast(sample['image'], tf.float32) / 255.,
      'label': sample['label']})
  return train_ds, test_ds.prefetch(1)


def get_pretraining(name, batch_size):
  """Pictures turned by a quarter, none to three times; the turn is the label."""

  def turn(sample):
    k = tf.random.uniform((), 0, 4, tf.int32)
    image = tf.image.rot90(tf.cast(sample['image'], tf.float32) / 255., k)
    return {'image': image, 'label': tf.cast(k, tf.int64)}

  ds = tfds.load(name, split='train').repeat().shuffle(1024)
  ds = ds.map(turn, num_parallel_calls=tf.data.AUTOTUNE)
  return ds.batch(batch_size, drop_remainder=True).prefetch(1)


class CNN(nn.Module):
  """A simple model."""

  @nn.compact
  def __call__(self, x):
    for features in (32, 64):
      x = nn.Conv(features=features, kernel_size=(3, 3))(x)
      x = nn.relu(x)
      x = nn.avg_pool(x, window_shape=(2, 2), strides=(2, 2))
    x = x.reshape((x.shape[0], -1))
    x = nn.relu(nn.Dense(features=256)(x))
    return nn.Dense(features=10)(x)


@struct.dataclass
class Metrics(metrics.Collection):
  accuracy: metrics.Accuracy
  loss: metrics.Average.from_output('loss')


class TrainState(train_state.TrainState):
  metrics: Metrics


def create_state(rng, rate):
  cnn = CNN()
  params = cnn.init(rng, jnp.ones([1, 28, 28, 1]))['params']
  return TrainState.create(
      apply_fn=cnn.apply, params=params, tx=optax.sgd(rate, 0.9), metrics=Metrics.empty())


@jax.jit
def train_step(state, batch):
  def loss_fn(params):
    logits = state.apply_fn({'params': params}, batch['image'])
    return optax.softmax_cross_entropy_with_integer_labels(logits, batch['label']).mean()
  return state.apply_gradients(grads=jax.grad(loss_fn)(state.params))


@jax.jit
def add_metrics(state, batch):
  logits = state.apply_fn({'params': state.params}, batch['image'])
  loss = optax.softmax_cross_entropy_with_integer_labels(logits, batch['label']).mean()
  update = state.metrics.single_from_model_output(
      logits=logits, labels=batch['label'], loss=loss)
  return state.replace(metrics=state.metrics.merge(update))


def main(argv):
  del argv
  tf.config.set_visible_devices([], 'GPU')
  train_ds, test_ds = get_datasets(_DATASET.value, _BATCH.value)
  warmup = get_pretraining(_DATASET.value, _BATCH.value)
  state = create_state(jax.random.key(0), _RATE.value)
  for batch in warmup.take(200).as_numpy_iterator():
    state = train_step(state, batch)
  steps_per_epoch = 60000 // _BATCH.value
  for step, batch in enumerate(train_ds.as_numpy_iterator()):
    state = train_step(state, batch)
    if (step + 1) % steps_per_epoch == 0:
      for test_batch in test_ds.as_numpy_iterator():
        state = add_metrics(state, test_batch)
      logging.info('epoch %d: %s', (step + 1) // steps_per_epoch, state.metrics.compute())
      state = state.replace(metrics=Metrics.empty())
    if step + 1 == steps_per_epoch * _EPOCHS.value:
      break


if __name__ == '__main__':
  app.run(main)
