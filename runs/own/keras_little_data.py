"""Trains on a few image files, turned and shifted anew each time, as Keras's blog shows."""

import pathlib

import numpy as np
from PIL import Image
from tensorflow.keras import layers, models
from tensorflow.keras.preprocessing.image import ImageDataGenerator

ROOT = pathlib.Path("pets")


def write_images():
    generator = np.random.default_rng(0)
    for part, count in (("train", 320), ("validation", 80)):
        for number, kind in enumerate(("cats", "dogs")):
            folder = ROOT / part / kind
            folder.mkdir(parents=True, exist_ok=True)
            for image in range(count // 2):
                picture = generator.integers(0, 150, (180, 200, 3), dtype=np.uint8)
                picture[:, :, number] += 80
                Image.fromarray(picture).save(folder / f"{image}.jpg")


def main():
    np.random.seed(0)
    write_images()
    changes = ImageDataGenerator(
        rescale=1.0 / 255,
        rotation_range=20,
        shear_range=0.2,
        zoom_range=0.2,
        horizontal_flip=True,
    )
    unchanged = ImageDataGenerator(rescale=1.0 / 255)
    size = (100, 100)
    train = changes.flow_from_directory(
        ROOT / "train", target_size=size, batch_size=16, class_mode="binary"
    )
    validation = unchanged.flow_from_directory(
        ROOT / "validation", target_size=size, batch_size=16, class_mode="binary"
    )
    model = models.Sequential(
        [
            layers.Input((*size, 3)),
            layers.Conv2D(16, 3, strides=2, activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(16, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(32, activation="relu"),
            layers.Dropout(0.5),
            layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile(loss="binary_crossentropy", optimizer="rmsprop", metrics=["accuracy"])
    model.fit(train, epochs=8, validation_data=validation, verbose=2)


if __name__ == "__main__":
    main()
