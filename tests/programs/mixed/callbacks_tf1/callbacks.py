import os

import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.callbacks import Callback


class KernelNorms(Callback):
    def __init__(self, writer):
        super().__init__()
        self.writer = writer
        self.seen = 0

    def on_train_batch_end(self, batch, logs=None):
        self.seen += 1
        for layer in self.model.layers[:2]:
            norm = K.get_session().run(tf.norm(layer.kernel))  # finding: graph-growth
            summary = tf.Summary(value=[tf.Summary.Value(tag=layer.name, simple_value=norm)])
            self.writer.add_summary(summary, self.seen)


class Schedule(Callback):
    def on_train_batch_begin(self, batch, logs=None):
        K.set_value(self.model.optimizer.lr, 0.1 / (1 + batch))


class Gradients(Callback):
    def on_train_begin(self, logs=None):
        slopes = K.gradients(self.model.total_loss, self.model.trainable_weights)
        self.largest = tf.reduce_max([tf.reduce_max(tf.abs(slope)) for slope in slopes])

    def on_epoch_end(self, epoch, logs=None):
        print(epoch, K.get_session().run(self.largest))


class Swap(object):
    """Keeps averaged weights beside a model."""

    def __init__(self, model, decay=0.99):
        self.model, self.decay = model, decay
        self.means = [K.variable(K.get_value(w)) for w in model.weights]
        pairs = zip(self.means, model.weights)
        self.follow = K.function([], [], [K.update(m, decay * m + (1 - decay) * w) for m, w in pairs])

    def step(self):
        self.follow([])

    def step_slowly(self):
        for mean, weight in zip(self.means, self.model.weights):
            moved = self.decay * mean + (1 - self.decay) * weight  # finding: graph-growth
            K.get_session().run(tf.assign(mean, moved))  # finding: graph-growth


def folder(name):
    os.makedirs(name, exist_ok=True)
    return tf.summary.FileWriter(name)
