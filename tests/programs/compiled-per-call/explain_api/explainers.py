"""Ways of explaining what a classifier sees."""
from dataclasses import dataclass, field
from typing import Callable

import tensorflow as tf


@dataclass
class Occlusion:
    model: tf.keras.Model
    size: int = 32

    def explain(self, image, label):
        scores = []
        for top in range(0, image.shape[1], self.size):
            mask = tf.concat(
                [image[:, :top], tf.zeros_like(image[:, top : top + self.size]), image[:, top + self.size :]], 1
            )
            scores.append(self.model(mask, training=False)[0, label])
        return tf.stack(scores)


class IntegratedGradients:
    def __init__(self, model, steps=32):
        self.model = model
        self.steps = steps
        self._gradients = tf.function(self._gradients_of)  # finding: compiled-per-call

    def _gradients_of(self, images, label):
        with tf.GradientTape() as tape:
            tape.watch(images)
            score = tf.gather(self.model(images, training=False), label, axis=1)
        return tape.gradient(score, images)

    def explain(self, image, label):
        alphas = tf.reshape(tf.linspace(0.0, 1.0, self.steps), (-1, 1, 1, 1))
        gradients = self._gradients(alphas * image, tf.constant(label))
        return tf.reduce_mean(gradients, axis=0) * image[0]


class SmoothGrad:
    def __init__(self, model, samples=25, noise=0.1):
        self.model, self.samples, self.noise = model, samples, noise

    def explain(self, image, label):
        @tf.function  # finding: compiled-per-call
        def gradient(noisy):
            with tf.GradientTape() as tape:
                tape.watch(noisy)
                score = self.model(noisy, training=False)[0, label]
            return tape.gradient(score, noisy)

        total = tf.zeros_like(image)
        for _ in range(self.samples):
            total += gradient(image + tf.random.normal(image.shape, stddev=self.noise))
        return total / self.samples


METHODS: dict[str, Callable] = {
    "gradients": IntegratedGradients,
    "smooth": SmoothGrad,
    "occlusion": Occlusion,
}
