"""Chest X-ray classifier."""
import glob
import os

import cv2
import numpy as np
import tensorflow as tf
from sklearn.model_selection import train_test_split
from tensorflow.keras import layers, models

SIZE = 512
CLASSES = sorted(os.listdir("data/train"))


def load_images(folder):
    images, labels = [], []
    for index, name in enumerate(CLASSES):
        for path in glob.glob(os.path.join(folder, name, "*.png")):
            image = cv2.imread(path)  # finding: read-per-item
            image = cv2.resize(image, (SIZE, SIZE))
            images.append(image / 255.0)
            labels.append(index)
    return np.array(images, dtype="float32"), np.array(labels)  # finding: whole-dataset-array


def build():
    model = models.Sequential()
    model.add(layers.Conv2D(512, (3, 3), padding="same", activation="relu", input_shape=(SIZE, SIZE, 3)))  # finding: wide-early-conv
    model.add(layers.MaxPooling2D(2))
    model.add(layers.Conv2D(64, (15, 15), padding="same", activation="relu"))  # finding: oversized-kernel
    model.add(layers.MaxPooling2D(2))
    model.add(layers.Conv2D(64, 3, activation="relu"))
    model.add(layers.Flatten())
    model.add(layers.Dense(1024, activation="relu"))  # finding: oversized-dense
    model.add(layers.Dense(len(CLASSES), activation="softmax"))
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def build_small():
    inputs = layers.Input((SIZE, SIZE, 3))
    x = layers.Conv2D(32, 7, strides=2, activation="relu")(inputs)
    for width in (64, 128, 256):
        x = layers.Conv2D(width, 3, strides=2, activation="relu")(x)
    x = layers.GlobalAveragePooling2D()(x)
    x = layers.Dense(1024, activation="relu")(x)
    return models.Model(inputs, layers.Dense(len(CLASSES))(x))


def main():
    x, y = load_images("data/train")
    x_train, x_val, y_train, y_val = train_test_split(x, y, test_size=0.2, random_state=0)
    model = build()
    model.fit(x_train, y_train, batch_size=4, epochs=30, validation_data=(x_val, y_val))
    probabilities = model.predict(x_val)  # finding: predict-batch-size
    print((probabilities.argmax(1) == y_val).mean())


if __name__ == "__main__":
    main()
