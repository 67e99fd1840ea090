# requires: tensorflow==1.14.0
"""Train a small convolutional net that tells thirty spoken words apart."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import argparse
import glob
import os
import random

import tensorflow as tf
from tensorflow.contrib.framework.python.ops import audio_ops as contrib_audio

SAMPLE_RATE = 16000
WORDS = ['yes', 'no', 'up', 'down', 'left', 'right', 'on', 'off', 'stop', 'go']


class AudioProcessor(object):
  """Finds the recordings and makes one dataset for each split."""

  def __init__(self, data_dir, validation_share=0.1):
    self.data_dir = data_dir
    self.background = self.load_background(os.path.join(data_dir, '_background_noise_'))
    self.sources = {'training': [], 'validation': []}
    for label, word in enumerate(WORDS):
      for path in glob.glob(os.path.join(data_dir, word, '*.wav')):
        split = 'validation' if random.random() < validation_share else 'training'
        self.sources[split].append((path, label))
    self.datasets = {}
    for split in self.sources:
      paths, labels = zip(*self.sources[split])
      names = tf.data.Dataset.from_tensor_slices((list(paths), list(labels)))
      self.datasets[split] = names.map(self.load_wav)  # finding: serial-map

  @staticmethod
  def load_background(folder):
    return sorted(glob.glob(os.path.join(folder, '*.wav')))

  def load_wav(self, path, label):
    wav = contrib_audio.decode_wav(
        tf.read_file(path), desired_channels=1, desired_samples=SAMPLE_RATE)
    return wav.audio, label

  def shift(self, audio, label):
    amount = tf.random_uniform([], -1600, 1600, tf.int32)
    padded = tf.pad(audio, [[1600, 1600], [0, 0]])
    return tf.slice(padded, [1600 + amount, 0], [SAMPLE_RATE, 1]), label

  def spectrogram(self, audio, label):
    frames = contrib_audio.audio_spectrogram(
        audio, window_size=480, stride=160, magnitude_squared=True)
    features = contrib_audio.mfcc(frames, SAMPLE_RATE, dct_coefficient_count=40)
    return tf.squeeze(features, 0), label

  def input_fn(self, split, batch_size):
    def fn():
      dataset = self.datasets[split]
      if split == 'training':
        dataset = dataset.shuffle(4000).repeat()
        dataset = dataset.map(self.shift)  # note: serial-map
      dataset = dataset.map(self.spectrogram, 8)
      return dataset.batch(batch_size).prefetch(1)
    return fn


def model_fn(features, labels, mode, params):
  net = tf.expand_dims(features, -1)
  for filters in (32, 64, 64):
    net = tf.layers.conv2d(net, filters, 3, padding='same', activation=tf.nn.relu)
    net = tf.layers.max_pooling2d(net, 2, 2)
  logits = tf.layers.dense(tf.layers.flatten(net), len(WORDS))
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    predicted = tf.argmax(logits, 1)
    return tf.estimator.EstimatorSpec(
        mode, loss=loss,
        eval_metric_ops={'accuracy': tf.metrics.accuracy(labels, predicted)})
  step = tf.train.get_or_create_global_step()
  train = tf.train.AdamOptimizer(params['rate']).minimize(loss, global_step=step)
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument('--data_dir', default='/tmp/speech_dataset')
  parser.add_argument('--model_dir', default='/tmp/speech_model')
  parser.add_argument('--batch_size', type=int, default=100)
  parser.add_argument('--steps', type=int, default=18000)
  args = parser.parse_args()
  words = list(map(str.upper, WORDS))
  tf.logging.info('words: %s', ', '.join(words))
  estimator = tf.estimator.Estimator(model_fn, args.model_dir, params={'rate': 1e-3})
  # The datasets must be made in the graph of the estimator.
  estimator.train(
      lambda: AudioProcessor(args.data_dir).input_fn('training', args.batch_size)(),
      steps=args.steps)
  print(estimator.evaluate(
      lambda: AudioProcessor(args.data_dir).input_fn('validation', args.batch_size)(),
      steps=50))


if __name__ == '__main__':
  tf.logging.set_verbosity(tf.logging.INFO)
  main()
