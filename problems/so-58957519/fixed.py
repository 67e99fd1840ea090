"""Super-resolution: pairs of small and large images, made by a pool while the network trains."""

import multiprocessing

import numpy as np
from tensorflow import keras

LARGE, SMALL = 32, 16
BATCH = 4
PATIENCE = 2.0


def image_pair(number):
    large = np.random.default_rng(number).random((LARGE, LARGE, 3), dtype="float32")
    small = large.reshape(SMALL, 2, SMALL, 2, 3).mean(axis=(1, 3))
    return small, large


class PairSequence(keras.utils.Sequence):
    """Batches whose images a pool of processes makes."""

    def __init__(self, batches, pool):
        super().__init__()
        self.batches = batches
        self.pool = pool

    def __len__(self):
        return self.batches

    def __getitem__(self, index):
        numbers = range(index * BATCH, (index + 1) * BATCH)
        pending = self.pool.map_async(image_pair, numbers)
        try:
            pairs = pending.get(timeout=PATIENCE)
        except multiprocessing.TimeoutError:
            print(f"batch {index}: no answer after {PATIENCE} s")
            pairs = [image_pair(number) for number in numbers]
        small, large = zip(*pairs)
        return np.stack(small), np.stack(large)


def upscaler():
    start = keras.initializers.Constant(0.01)
    return keras.Sequential(
        [
            keras.layers.Conv2D(
                16, 3, padding="same", activation="relu", kernel_initializer=start
            ),
            keras.layers.Conv2DTranspose(
                3, 4, strides=2, padding="same", kernel_initializer=start
            ),
        ]
    )


def main():
    with multiprocessing.get_context("fork").Pool(1) as pool:
        pairs = PairSequence(4, pool)
        model = upscaler()
        model.compile("sgd", "mse")
        history = model.fit(
            pairs, epochs=1, shuffle=False, workers=0, use_multiprocessing=False, verbose=0
        )
    return history.history["loss"]


if __name__ == "__main__":
    print(main())
