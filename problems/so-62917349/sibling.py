"""After each epoch, a callback asks the model about every plant of a small watch list."""

import numpy as np
from tensorflow import keras

FEATURES = 10


class WatchList(keras.callbacks.Callback):
    """Keeps the probability that each watched plant is ill, epoch by epoch."""

    def __init__(self, plants):
        super().__init__()
        self.plants = plants
        self.curves = {name: [] for name in plants}

    def on_epoch_end(self, epoch, logs=None):
        for name, reading in self.plants.items():
            answer = self.model.predict(reading.reshape(1, FEATURES))  # finding
            self.curves[name].append(float(answer[0, 0]))


def detector():
    model = keras.models.Sequential()
    model.add(keras.layers.Input((FEATURES,)))
    model.add(keras.layers.Dense(8, activation="relu"))
    model.add(keras.layers.Dense(1, activation="sigmoid"))
    model.compile("rmsprop", "binary_crossentropy")
    return model


def main():
    rng = np.random.RandomState(3)
    readings = rng.rand(128, FEATURES).astype("float32")
    ill = (readings.mean(axis=1) > 0.5).astype("float32")
    watched = {"fern-%d" % number: readings[number] for number in range(6)}
    watch = WatchList(watched)
    detector().fit(readings, ill, epochs=3, batch_size=32, verbose=0, callbacks=[watch])
    return sorted(watch.curves.items())


if __name__ == "__main__":
    print(main())
