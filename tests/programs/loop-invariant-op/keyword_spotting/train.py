"""python train.py train.npz val.npz statistics.npz"""
import sys

import tensorflow as tf

from data import arrays, epoch, validation
from frontend import Decorrelated

BATCH = 128
EPOCHS = 60
WORDS = 35


def network():
    return tf.keras.Sequential(
        [
            tf.keras.layers.Conv1D(64, 5, activation="relu"),
            tf.keras.layers.GRU(96),
            tf.keras.layers.Dense(WORDS),
        ]
    )


def mask_time(features, width=10):
    start = tf.random.uniform([], 0, tf.shape(features)[1] - width, dtype=tf.int32)
    steps = tf.range(tf.shape(features)[1])
    keep = tf.logical_or(steps < start, steps >= start + width)
    return features * tf.cast(keep, features.dtype)[None, :, None]


class Trainer:
    def __init__(self, train_path, statistics):
        self.waves, self.labels = arrays(train_path)
        self.frontend = Decorrelated(statistics)
        self.model = network()
        self.optimizer = tf.keras.optimizers.Adam(1e-3)
        self.loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self.compiled_update = tf.function(self.update)

    def update(self, features, labels):
        with tf.GradientTape() as tape:
            loss = self.loss_fn(labels, self.model(features, training=True))
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
        return loss

    def prepare(self, waves):
        return mask_time(self.frontend(waves))

    def run_epoch(self):
        total, n = 0.0, 0
        for waves, labels in epoch(self.waves, self.labels, BATCH):
            loss = self.compiled_update(self.prepare(waves), labels)
            prior = tf.math.bincount(tf.constant(self.labels), minlength=WORDS)
            seen = tf.gather(prior, labels)
            if n % 100 == 0:
                tf.print("rarest word of the batch", tf.reduce_min(seen))
            total += float(loss)
            n += 1
        return total / max(n, 1)


def main(train_path, val_path, statistics):
    trainer = Trainer(train_path, statistics)
    val = validation(val_path, BATCH)
    for number in range(EPOCHS):
        print(number, trainer.run_epoch())
    for features, labels in val:
        print(features.shape, labels.shape)
        break


if __name__ == "__main__":
    main(*sys.argv[1:])
