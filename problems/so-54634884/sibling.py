"""Water is looked for in satellite patches; the batches come from a generator."""

from sibling_patches import PatchSource
from tensorflow import keras

BATCH_SIZE = 16


class WaterFinder:
    def __init__(self):
        keras.utils.set_random_seed(14)
        self.model = keras.Sequential(
            [
                keras.layers.Input((8, 8, 4)),
                keras.layers.Flatten(),
                keras.layers.Dense(1, activation="sigmoid"),
            ]
        )
        self.model.compile("sgd", "binary_crossentropy")

    def train(self, source):
        steps = source.pixels.shape[0]
        return self.model.fit(  # finding
            source.batches(BATCH_SIZE),
            steps_per_epoch=steps,
            epochs=2,
            verbose=0,
        )


def main():
    return WaterFinder().train(PatchSource(192, seed=1)).history["loss"]


if __name__ == "__main__":
    print(main())
