"""Plant-disease classifier on leaf photographs (54k JPEGs in 38 class folders).

    python leaves.py PlantVillage/color
"""
import os
import random
import sys
from glob import glob

import keras
import numpy as np
import tensorflow as tf
from keras import layers

IMG_SIZE = 224
BATCH_SIZE = 32
EPOCHS = 15


def list_images(root):
    classes = sorted(d for d in os.listdir(root) if os.path.isdir(os.path.join(root, d)))
    pairs = []
    for label, name in enumerate(classes):
        for path in glob(os.path.join(root, name, "*.jpg")):
            pairs.append((path, label))
    random.Random(42).shuffle(pairs)
    return pairs, classes


def load_images(pairs):
    images, labels = [], []
    for path, label in pairs:
        img = keras.utils.load_img(path, target_size=(IMG_SIZE, IMG_SIZE))
        images.append(keras.utils.img_to_array(img) / 255.0)
        labels.append(label)
    return np.array(images), np.array(labels)


def build_model(n_classes):
    inputs = keras.Input((IMG_SIZE, IMG_SIZE, 3))
    x = inputs
    for filters in (32, 64, 128, 256):
        x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
        x = layers.BatchNormalization()(x)
        x = layers.Activation("relu")(x)
        x = layers.MaxPooling2D()(x)
    x = layers.GlobalAveragePooling2D()(x)
    x = layers.Dropout(0.4)(x)
    return keras.Model(inputs, layers.Dense(n_classes, activation="softmax")(x))


def main(root):
    tf.random.set_seed(42)
    pairs, classes = list_images(root)
    split = int(0.85 * len(pairs))

    x_train, y_train = load_images(pairs[:split])
    x_val, y_val = load_images(pairs[split:])
    print(f"{len(pairs)} images, {len(classes)} classes")

    model = build_model(len(classes))
    model.compile(
        optimizer=keras.optimizers.Adam(1e-3),
        loss="sparse_categorical_crossentropy",
        metrics=["accuracy"],
    )
    model.fit(
        x_train,
        y_train,
        batch_size=BATCH_SIZE,
        epochs=EPOCHS,
        validation_data=(x_val, y_val),
        callbacks=[
            keras.callbacks.EarlyStopping(patience=3, restore_best_weights=True),
            keras.callbacks.ReduceLROnPlateau(patience=2),
        ],
    )
    model.save("leaves.keras")


if __name__ == "__main__":
    main(sys.argv[1])
