"""A loop of its own around a Keras model."""

import dataclasses
import time

import tensorflow as tf


@dataclasses.dataclass
class TrainerConfig:
    epochs: int = 200
    lr: float = 1e-3
    log_every: int = 100
    eager: bool = False


class Trainer:
    def __init__(self, model, config):
        self.model = model
        self.config = config
        self.optimizer = tf.keras.optimizers.Adam(config.lr)
        self.loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self.loss = tf.keras.metrics.Mean()
        self.accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
        self._test = tf.function(self._test_step)

    def _train_step(self, x, y):
        with tf.GradientTape() as tape:
            logits = self.model(x, training=True)
            loss = self.loss_fn(y, logits)
        variables = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        self.loss.update_state(loss)

    def _test_step(self, x, y):
        self.accuracy.update_state(y, self.model(x, training=False))

    def train_epoch(self, data):
        step = self._train_step
        if not self.config.eager:
            step = tf.function(step)  # finding: compiled-per-call
        self.loss.reset_state()
        for number, (x, y) in enumerate(data):
            step(x, y)
            if number % self.config.log_every == 0:
                tf.print("step", number, "loss", self.loss.result())

    def test(self, data):
        self.accuracy.reset_state()
        for x, y in data:
            self._test(x, y)
        return float(self.accuracy.result())

    def fit(self, train, test):
        for epoch in range(self.config.epochs):
            began = time.time()
            self.train_epoch(train)
            print(epoch, self.test(test), f"{time.time() - began:.1f} s")


class Saliency:
    """Which parts of a spectrogram a class hangs on."""

    def __init__(self, model, classes):
        self.model = model
        self.classes = classes
        self._by_class = {}

    def for_class(self, number):
        if number not in self._by_class:

            @tf.function
            def gradient(x):
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    score = self.model(x, training=False)[:, number]
                return tape.gradient(score, x)

            self._by_class[number] = gradient
        return self._by_class[number]

    def smooth(self, x, number, rounds=25):
        """The mean over noisy copies."""

        @tf.function(jit_compile=True)  # finding: compiled-per-call
        def noisy_gradient(noise):
            with tf.GradientTape() as tape:
                tape.watch(noise)
                score = self.model(x + noise, training=False)[:, number]
            return tape.gradient(score, noise)

        maps = [noisy_gradient(tf.random.normal(x.shape, stddev=0.1)) for _ in range(rounds)]
        return tf.add_n(maps) / rounds
