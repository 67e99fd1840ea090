# requires: tensorflow==2.15.*
"""Homework 4: fine-tune a ResNet on CIFAR-10 and on our own folder of leaves."""

import os

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras.applications.resnet50 import ResNet50, preprocess_input

AUTOTUNE = tf.data.AUTOTUNE
BATCH = 128
SEED = 42


def to_float(image, label):
    return tf.cast(image, tf.float32), label


def center(image, label):
    return preprocess_input(image), label


def hot(image, label):
    return image, tf.one_hot(tf.squeeze(label, axis=-1), 10)


def cifar():
    (x_train, y_train), (x_test, y_test) = keras.datasets.cifar10.load_data()
    train = tf.data.Dataset.from_tensor_slices((x_train, y_train)).shuffle(50_000, seed=SEED)
    test = tf.data.Dataset.from_tensor_slices((x_test, y_test))
    for step in (to_float, center, hot):
        train = train.map(step, num_parallel_calls=AUTOTUNE)  # finding: map-before-batch
        test = test.map(step, num_parallel_calls=AUTOTUNE)  # finding: map-before-batch
    return train.batch(BATCH).prefetch(AUTOTUNE), test.batch(BATCH).prefetch(AUTOTUNE)


def leaves(folder):
    """Our own pictures: shuffled one by one, so the loader must not batch them."""
    ds = keras.utils.image_dataset_from_directory(
        folder, image_size=(96, 96), batch_size=None, label_mode="categorical", seed=SEED
    )
    ds = ds.map(lambda im, y: (preprocess_input(im), y), num_parallel_calls=AUTOTUNE)  # finding: map-before-batch
    return ds.repeat().batch(BATCH, drop_remainder=True).prefetch(AUTOTUNE)


def leaves_eval(folder):
    ds = keras.utils.image_dataset_from_directory(
        folder, image_size=(96, 96), batch_size=BATCH, label_mode="categorical", shuffle=False
    )
    return ds.map(lambda im, y: (preprocess_input(im), y), num_parallel_calls=AUTOTUNE).prefetch(AUTOTUNE)


def build(classes, shape):
    base = ResNet50(include_top=False, weights="imagenet", input_shape=shape, pooling="avg")
    base.trainable = False
    return keras.Sequential([base, keras.layers.Dropout(0.3), keras.layers.Dense(classes, activation="softmax")])


class LogLR(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        print(f"epoch {epoch}: lr {float(self.model.optimizer.learning_rate):.2e}")


def train_cifar():
    train, test = cifar()
    model = build(10, (32, 32, 3))
    model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
    model.fit(train, validation_data=test, epochs=5, callbacks=[LogLR()])
    return model.evaluate(test, return_dict=True)


def train_leaves(folder):
    classes = len(os.listdir(folder + "/train"))
    model = build(classes, (96, 96, 3))
    model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
    model.fit(
        leaves(folder + "/train"),
        steps_per_epoch=200,
        validation_data=leaves_eval(folder + "/valid"),
        epochs=10,
    )
    return np.argmax(model.predict(leaves_eval(folder + "/valid")), axis=1)


if __name__ == "__main__":
    print(train_cifar())
    np.save("leaves.npy", train_leaves("leaves"))
