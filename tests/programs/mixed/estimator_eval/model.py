"""Image model on TF 2.2 with generators and tf.data."""
import os

import numpy as np
import tensorflow as tf
from tensorflow.keras.applications import VGG16
from tensorflow.keras.layers import Conv2D, Dense, Dropout, Flatten, Input, MaxPooling2D
from tensorflow.keras.preprocessing import image


def wide(size):
    inputs = Input((size, size, 3))
    x = Conv2D(256, 3, activation="relu", padding="same")(inputs)  # finding: wide-early-conv
    x = MaxPooling2D()(x)
    x = Conv2D(64, 11, activation="relu", padding="same")(x)  # finding: oversized-kernel
    x = Flatten()(x)
    x = Dense(4096, activation="relu")(x)  # finding: oversized-dense
    return tf.keras.Model(inputs, Dense(10)(x))


def transfer():
    base = VGG16(include_top=False, pooling="avg")
    x = Dense(512, activation="relu")(base.output)
    return tf.keras.Model(base.input, Dense(10)(Dropout(0.5)(x)))


def read(folder):
    rows = []
    for name in sorted(os.listdir(folder)):
        picture = image.load_img(os.path.join(folder, name), target_size=(224, 224))  # finding: read-per-item
        rows.append(image.img_to_array(picture))
    return np.stack(rows)  # finding: whole-dataset-array


def train(folder, targets):
    x = read(folder)
    model = wide(224)
    model.compile("adam", "mse")
    model.fit(x, targets, batch_size=2, epochs=10)
    return model.predict(x), model.evaluate(x, targets)  # finding: predict-batch-size


def train_right(x, targets):
    model = transfer()
    model.compile("adam", "mse")
    model.fit(x, targets, batch_size=2, epochs=10)
    return model.predict(x, batch_size=2)


def leaky(model, rows):
    out = []
    for row in rows:
        out.append(model.predict(row[None])[0])  # finding: buggy-version, predict-per-item
    return np.stack(out)


def pipeline(x, y):
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    ds = ds.map(lambda a, b: (tf.image.random_flip_left_right(a), b))  # finding: serial-map
    return ds.batch(32)  # finding: missing-prefetch


def fit(x, y):
    model = transfer()
    model.compile("adam", "mse")
    model.fit(pipeline(np.float32(x), y), epochs=20)


def sweep(x, y):
    best = None
    for width in range(16, 512, 16):
        model = tf.keras.Sequential([Flatten(), Dense(width), Dense(1)])  # finding: model-per-turn
        model.compile("adam", "mse")
        loss = model.fit(x, y, verbose=0).history["loss"][-1]
        best = min(best or loss, loss)
    return best
