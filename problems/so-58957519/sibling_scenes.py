"""Scenes that a pool crops, and the training that fetches them."""

import numpy as np
import tensorflow as tf


def crop(seed):
    rng = np.random.RandomState(seed)
    top, left = rng.randint(0, 16, size=2)
    return rng.rand(48, 48, 3)[top : top + 32, left : left + 32]


class SceneSequence(tf.keras.utils.Sequence):
    def __init__(self, pool, count, size):
        self.jobs = [pool.apply_async(crop, (seed,)) for seed in range(count)]
        self.size = size

    def __len__(self):
        return len(self.jobs) // self.size

    def __getitem__(self, index):
        jobs = self.jobs[index * self.size : (index + 1) * self.size]
        scenes = np.stack([job.get() for job in jobs])
        return scenes, scenes.mean(axis=(1, 2, 3))


class SceneTrainer(object):
    def __init__(self, workers):
        self.workers = workers
        self.model = tf.keras.Sequential(
            [
                tf.keras.layers.Conv2D(8, 3, activation="relu", input_shape=(32, 32, 3)),
                tf.keras.layers.GlobalAveragePooling2D(),
                tf.keras.layers.Dense(1),
            ]
        )
        self.model.compile(optimizer="adam", loss="mse")

    def train(self, scenes):
        history = self.model.fit(  # finding
            scenes, epochs=2, workers=self.workers, use_multiprocessing=True
        )
        return history.history["loss"]
