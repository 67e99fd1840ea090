"""Trains from a `PyDataset` that changes images in Python, as Keras's documentation shows."""

import keras
import numpy as np
from keras import layers


class Images(keras.utils.PyDataset):
    """Batches of noise with a bright square, each image turned and scaled by itself."""

    def __init__(self, count, batch_size, **options):
        super().__init__(**options)
        generator = np.random.default_rng(0)
        self.labels = generator.integers(0, 4, count)
        self.pictures = generator.random((count, 32, 32, 3), dtype="float32")
        for label in range(4):
            top, left = divmod(label, 2)
            chosen = self.labels == label
            self.pictures[chosen, 16 * top : 16 * top + 8, 16 * left : 16 * left + 8] += 1
        self.batch_size = batch_size

    def __len__(self):
        return len(self.labels) // self.batch_size

    def __getitem__(self, index):
        chosen = slice(index * self.batch_size, (index + 1) * self.batch_size)
        pictures = np.array([self.changed(picture) for picture in self.pictures[chosen]])
        return pictures, self.labels[chosen]

    def changed(self, picture):
        brighter = picture * np.random.uniform(0.8, 1.2)
        moved = np.roll(brighter, np.random.randint(-2, 3), axis=1)
        return moved + np.random.normal(0, 0.05, moved.shape).astype("float32")


def main():
    keras.utils.set_random_seed(0)
    model = keras.Sequential(
        [
            keras.Input(shape=(32, 32, 3)),
            layers.Conv2D(8, 3, activation="relu"),
            layers.MaxPooling2D(4),
            layers.Flatten(),
            layers.Dense(4, activation="softmax"),
        ]
    )
    model.compile(loss="sparse_categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
    model.fit(Images(8192, 64), epochs=4)


if __name__ == "__main__":
    main()
