"""A network over raw radar sweeps; all of them are handed to Keras at once."""

import numpy as np
import tensorflow as tf

SWEEPS = 2048
SAMPLES = 32768


def make_sweeps(seed=13):
    rng = np.random.default_rng(seed)
    echoes = rng.integers(0, 2, SWEEPS).astype(np.float32)
    sweeps = rng.standard_normal((SWEEPS, SAMPLES), dtype=np.float32)
    sweeps[:, :64] += echoes[:, None]
    return sweeps, echoes


class Batches(tf.keras.utils.Sequence):
    def __init__(self, sweeps, echoes, size):
        super().__init__()
        self.sweeps, self.echoes, self.size = sweeps, echoes, size

    def __len__(self):
        return len(self.sweeps) // self.size

    def __getitem__(self, index):
        rows = slice(index * self.size, (index + 1) * self.size)
        return self.sweeps[rows], self.echoes[rows]


def build_model():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input((SAMPLES,)),
            tf.keras.layers.Reshape((SAMPLES // 64, 64)),
            tf.keras.layers.GlobalAveragePooling1D(),
            tf.keras.layers.Dense(8, activation="relu"),
            tf.keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile(optimizer="sgd", loss="binary_crossentropy")
    return model


def train(sweeps, echoes):
    tf.keras.utils.set_random_seed(30)
    model = build_model()
    history = model.fit(Batches(sweeps, echoes, 32), epochs=1, shuffle=False, verbose=0)
    return history.history["loss"]


def main():
    return train(*make_sweeps())


if __name__ == "__main__":
    print(main())
