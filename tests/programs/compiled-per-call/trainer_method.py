# requires: tensorflow==2.9.*
"""Small in-house trainer around Keras models."""
import json
import os
import time

import tensorflow as tf


class Meter:
    def __init__(self):
        self.sum, self.count = 0.0, 0

    def add(self, value, n=1):
        self.sum += float(value) * n
        self.count += n

    @property
    def mean(self):
        return self.sum / max(1, self.count)


class Trainer:
    def __init__(self, model, optimizer, loss, clip=None, mixed=False):
        self.model = model
        self.optimizer = optimizer
        self.loss = loss
        self.clip = clip
        if mixed:
            self.optimizer = tf.keras.mixed_precision.LossScaleOptimizer(optimizer)
        self.mixed = mixed
        self.history = []

    def _forward_backward(self, x, y):
        with tf.GradientTape() as tape:
            loss = self.loss(y, self.model(x, training=True))
            scaled = self.optimizer.get_scaled_loss(loss) if self.mixed else loss
        grads = tape.gradient(scaled, self.model.trainable_variables)
        if self.mixed:
            grads = self.optimizer.get_unscaled_gradients(grads)
        if self.clip:
            grads, _ = tf.clip_by_global_norm(grads, self.clip)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
        return loss

    def _predict(self, x):
        return self.model(x, training=False)

    def train_batch(self, x, y):
        step = tf.function(self._forward_backward)  # finding: compiled-per-call
        return step(x, y)

    def evaluate(self, data, metric):
        metric.reset_state()
        predict = tf.function(self._predict)
        for x, y in data:
            metric.update_state(y, predict(x))
        return float(metric.result())

    def fit(self, train, valid, epochs, metric, folder):
        os.makedirs(folder, exist_ok=True)
        best = -1.0
        for epoch in range(epochs):
            meter, started = Meter(), time.time()
            for x, y in train:
                meter.add(self.train_batch(x, y), len(x))
            score = self.evaluate(valid, metric)
            self.history.append({"epoch": epoch, "loss": meter.mean, "score": score, "time": time.time() - started})
            print(self.history[-1])
            if score > best:
                best = score
                self.model.save_weights(os.path.join(folder, "best"))
        with open(os.path.join(folder, "history.json"), "w") as f:
            json.dump(self.history, f)
        return best


def main():
    (x, y), (xt, yt) = tf.keras.datasets.fashion_mnist.load_data()
    make = lambda a, b: tf.data.Dataset.from_tensor_slices((a[..., None] / 255.0, b)).batch(128).prefetch(2)
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Conv2D(32, 3, activation="relu"),
            tf.keras.layers.MaxPooling2D(),
            tf.keras.layers.Conv2D(64, 3, activation="relu"),
            tf.keras.layers.GlobalAveragePooling2D(),
            tf.keras.layers.Dense(10),
        ]
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    trainer = Trainer(model, tf.keras.optimizers.Adam(), loss, clip=1.0)
    print(trainer.fit(make(x, y), make(xt, yt), 10, tf.keras.metrics.SparseCategoricalAccuracy(), "runs/fashion"))


if __name__ == "__main__":
    main()
