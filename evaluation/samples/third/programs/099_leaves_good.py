"""Plant-disease classifier on leaf photographs (54k JPEGs in 38 class folders).

    python leaves.py PlantVillage/color
"""
import os
import random
import sys
from glob import glob

import keras
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


def load_image(path, label):
    img = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    img = tf.image.resize(img, (IMG_SIZE, IMG_SIZE), method="nearest")
    return tf.cast(img, tf.float32) / 255.0, label


def make_dataset(pairs, training):
    paths, labels = map(list, zip(*pairs))
    ds = tf.data.Dataset.from_tensor_slices((paths, labels))
    if training:
        ds = ds.shuffle(len(pairs))
    ds = ds.map(load_image, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(BATCH_SIZE).prefetch(tf.data.AUTOTUNE)


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

    train = make_dataset(pairs[:split], training=True)
    val = make_dataset(pairs[split:], training=False)
    print(f"{len(pairs)} images, {len(classes)} classes")

    model = build_model(len(classes))
    model.compile(
        optimizer=keras.optimizers.Adam(1e-3),
        loss="sparse_categorical_crossentropy",
        metrics=["accuracy"],
    )
    model.fit(
        train,
        epochs=EPOCHS,
        validation_data=val,
        callbacks=[
            keras.callbacks.EarlyStopping(patience=3, restore_best_weights=True),
            keras.callbacks.ReduceLROnPlateau(patience=2),
        ],
    )
    model.save("leaves.keras")


if __name__ == "__main__":
    main(sys.argv[1])
