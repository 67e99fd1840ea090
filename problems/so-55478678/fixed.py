"""Volumes of a scanner lie in files; a network learns to tell how bright they are."""

import tempfile
from pathlib import Path

import numpy as np
import tensorflow as tf

VOLUMES = 64
EDGE = 96
BATCH = 4
SCRATCH = tempfile.TemporaryDirectory()


def volume_files():
    paths = []
    for number in range(VOLUMES):
        path = Path(SCRATCH.name) / f"volume-{number:03d}.npy"
        if not path.exists():
            rng = np.random.default_rng(number)
            np.save(path, rng.integers(0, 128 + 2 * number, (EDGE, EDGE, EDGE), dtype=np.uint8))
        paths.append(path)
    return paths


def read(path):
    return np.load(path).astype(np.float32) / 255.0


class Volumes(tf.keras.utils.Sequence):
    def __init__(self, paths, targets):
        super().__init__()
        self.paths, self.targets = paths, targets

    def __len__(self):
        return len(self.paths) // BATCH

    def __getitem__(self, index):
        rows = slice(index * BATCH, (index + 1) * BATCH)
        return np.array([read(path) for path in self.paths[rows]]), self.targets[rows]


def build_model():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input((EDGE, EDGE, EDGE)),
            tf.keras.layers.AveragePooling2D(8),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(1),
        ]
    )
    model.compile(optimizer=tf.keras.optimizers.SGD(1e-4), loss="mse")
    return model


def train(paths):
    targets = np.arange(len(paths), dtype=np.float32) / len(paths)
    model = build_model()
    history = model.fit(Volumes(paths, targets), epochs=1, shuffle=False, verbose=0)
    return history.history["loss"]


def main():
    tf.keras.utils.set_random_seed(25)
    return train(volume_files())


if __name__ == "__main__":
    print(main())
