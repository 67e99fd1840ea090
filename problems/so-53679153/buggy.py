"""Recognises activities from the sensors of a phone."""

import keras
import numpy as np

WINDOWS = 64
SAMPLES = 512
CHANNELS = 9
ACTIVITIES = 6
UNITS = 1500


def recordings():
    rng = np.random.default_rng(53)
    windows = rng.normal(size=(WINDOWS, SAMPLES, CHANNELS)).astype("float32")
    return windows, rng.integers(0, ACTIVITIES, size=WINDOWS)


def network():
    return keras.Sequential(
        [
            keras.layers.Input((SAMPLES, CHANNELS)),
            keras.layers.Conv1D(32, 5, padding="same", activation="relu"),
            keras.layers.Flatten(),
            keras.layers.Dense(UNITS, activation="relu"),  # finding
            keras.layers.Dense(ACTIVITIES, activation="softmax"),
        ]
    )


def main():
    keras.utils.set_random_seed(53)
    windows, activities = recordings()
    model = network()
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(windows, activities, batch_size=16, epochs=2, verbose=0)
    predicted = model.predict(windows, batch_size=16, verbose=0)
    return [model.optimizer.iterations.numpy(), np.array(predicted.shape)]


if __name__ == "__main__":
    print(main())
