"""A small image classifier, trained on eight kinds of synthetic textures."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, models

IMAGE_SIZE = 48
CLASSES = 8
SAMPLES = 64
EPOCHS = 2


def make_textures(count, seed=3):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, CLASSES, count)
    axis = np.linspace(0.0, np.pi, IMAGE_SIZE)
    images = np.empty((count, IMAGE_SIZE, IMAGE_SIZE, 3), np.float32)
    for position, label in enumerate(labels):
        wave = np.sin((label + 1) * axis)[:, None] * np.cos((label + 2) * axis)[None, :]
        images[position] = wave[..., None] + rng.normal(0.0, 0.1, (IMAGE_SIZE, IMAGE_SIZE, 3))
    return images, labels


def build_model():
    model = models.Sequential(
        [
            layers.Input((IMAGE_SIZE, IMAGE_SIZE, 3)),
            layers.Conv2D(32, (3, 3), padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(48, (3, 3), padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(64, (3, 3), padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(32, activation="relu"),
            layers.Dense(CLASSES, activation="softmax"),
        ]
    )
    model.compile(
        optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"]
    )
    return model


def main():
    tf.keras.utils.set_random_seed(11)
    images, labels = make_textures(SAMPLES)
    model = build_model()
    history = model.fit(images, labels, batch_size=16, epochs=EPOCHS, verbose=0)
    probabilities = model(images, training=False).numpy()
    return {
        "epochs": len(history.history["loss"]),
        "shape": list(probabilities.shape),
        "mass": float(probabilities.sum()),
    }


if __name__ == "__main__":
    print(main())
