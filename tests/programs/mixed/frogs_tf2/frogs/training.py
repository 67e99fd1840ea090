import time

import tensorflow as tf

from frogs import sound
from frogs.nets import balanced


class Trainer:
    def __init__(self, model, counts, rate=1e-3, bands=64):
        self.model = model
        self.counts = counts
        self.bands = bands
        self.optimizer = tf.keras.optimizers.Adam(rate)
        self.log = []

    def loss(self, labels, logits):
        each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        return tf.reduce_mean(each * tf.gather(balanced(self.counts), labels))

    def step(self, waves, labels):
        features = sound.cepstra(waves, self.bands)
        with tf.GradientTape() as tape:
            loss = self.loss(labels, self.model(features))
        slopes = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(slopes, self.model.trainable_variables))
        return loss

    def fit(self, batches, epochs):
        for epoch in range(epochs):
            started = time.time()
            for waves, labels in batches:  # finding: eager-loop
                loss = self.step(waves, labels)
            self.log.append((epoch, float(loss), time.time() - started))
            yield self.log[-1]


class Compiled(Trainer):
    """The same, where constants cost nothing after the first step."""

    @tf.function
    def step(self, waves, labels):
        return super().step(waves, labels)
