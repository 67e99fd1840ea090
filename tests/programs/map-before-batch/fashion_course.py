# requires: tensorflow==2.3.*
"""Week 3 exercise: a small CNN on Fashion-MNIST with tf.data."""
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, models

BATCH_SIZE = 128
EPOCHS = 15
AUTOTUNE = tf.data.experimental.AUTOTUNE
CLASS_NAMES = [
    "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
    "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot",
]


def scale(image, label):
    image = tf.cast(image, tf.float32)
    image /= 255.0
    image = (image - 0.2860) / 0.3530
    return image, label


def add_channel(image, label):
    return tf.expand_dims(image, axis=-1), tf.one_hot(label, len(CLASS_NAMES))


def load():
    (x_train, y_train), (x_test, y_test) = tf.keras.datasets.fashion_mnist.load_data()
    x_val, y_val = x_train[-5000:], y_train[-5000:]
    x_train, y_train = x_train[:-5000], y_train[:-5000]
    train_ds = tf.data.Dataset.from_tensor_slices((x_train, y_train))
    val_ds = tf.data.Dataset.from_tensor_slices((x_val, y_val))
    test_ds = tf.data.Dataset.from_tensor_slices((x_test, y_test))

    train_ds = (
        train_ds
        .shuffle(10000)
        .map(scale, num_parallel_calls=AUTOTUNE)  # finding: map-before-batch
        .map(add_channel, num_parallel_calls=AUTOTUNE)  # finding: map-before-batch
        .batch(BATCH_SIZE)
        .prefetch(AUTOTUNE)
    )
    # evaluation reads whole batches at once
    val_ds = val_ds.batch(BATCH_SIZE).map(scale, num_parallel_calls=AUTOTUNE)
    val_ds = val_ds.map(add_channel, num_parallel_calls=AUTOTUNE).cache().prefetch(AUTOTUNE)
    test_ds = test_ds.batch(BATCH_SIZE).map(scale, num_parallel_calls=AUTOTUNE)
    test_ds = test_ds.map(add_channel, num_parallel_calls=AUTOTUNE).prefetch(AUTOTUNE)
    return train_ds, val_ds, test_ds


def build():
    model = models.Sequential([
        layers.Conv2D(32, 3, activation="relu", input_shape=(28, 28, 1)),
        layers.MaxPooling2D(),
        layers.Conv2D(64, 3, activation="relu"),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dropout(0.4),
        layers.Dense(128, activation="relu"),
        layers.Dense(len(CLASS_NAMES), activation="softmax"),
    ])
    model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
    return model


def plot(history):
    plt.figure(figsize=(8, 4))
    plt.plot(history.history["accuracy"], label="train")
    plt.plot(history.history["val_accuracy"], label="validation")
    plt.xlabel("epoch")
    plt.legend()
    plt.savefig("curves.png")


if __name__ == "__main__":
    train_ds, val_ds, test_ds = load()
    model = build()
    history = model.fit(train_ds, validation_data=val_ds, epochs=EPOCHS)
    plot(history)
    loss, accuracy = model.evaluate(test_ds)
    print("test accuracy: {:.4f}".format(accuracy))
    probs = model.predict(test_ds)
    print([CLASS_NAMES[i] for i in np.argmax(probs[:10], axis=1)])
