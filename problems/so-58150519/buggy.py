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
    inputs = tf.Variable(sweeps)
    targets = tf.Variable(echoes)
    model = build_model()
    history = model.fit(  # finding
        inputs, targets, batch_size=32, epochs=1, shuffle=False, verbose=0
    )
    return history.history["loss"]


def main():
    return train(*make_sweeps())


if __name__ == "__main__":
    print(main())
