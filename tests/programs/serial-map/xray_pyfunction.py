# requires: tensorflow==2.12.*
"""Chest X-rays (DICOM) with Keras; pydicom does the reading."""
import csv
import os

import numpy as np
import pydicom
import tensorflow as tf
from tensorflow.data import Dataset

ROOT = os.environ.get("XRAY_ROOT", "/mnt/xray")
FINDINGS = ["Atelectasis", "Cardiomegaly", "Effusion", "Pneumonia"]


def read_labels(path):
    with open(path) as handle:
        for row in csv.DictReader(handle):
            yield row["image"], [float(row[name]) for name in FINDINGS]


def load_dicom(path):
    data = pydicom.dcmread(path.numpy().decode())
    pixels = data.pixel_array.astype(np.float32)
    pixels -= pixels.min()
    return pixels / max(pixels.max(), 1.0)


def load(path, label):
    image = tf.py_function(load_dicom, [path], tf.float32)
    image.set_shape([None, None])
    image = tf.image.resize(image[..., tf.newaxis], (384, 384))
    return tf.image.grayscale_to_rgb(image), label


def pipeline(name, batch_size, shuffle):
    rows = list(read_labels(os.path.join(ROOT, name + ".csv")))
    paths = [os.path.join(ROOT, name, image) for image, _ in rows]
    labels = np.array([label for _, label in rows], np.float32)
    data = Dataset.from_tensor_slices((paths, labels))
    if shuffle:
        data = data.shuffle(len(paths))
    return data.map(load).batch(batch_size).prefetch(tf.data.AUTOTUNE)  # finding: serial-map


def build():
    base = tf.keras.applications.DenseNet121(include_top=False, pooling="avg")
    x = tf.keras.layers.Dropout(0.3)(base.output)
    out = tf.keras.layers.Dense(len(FINDINGS), activation="sigmoid")(x)
    return tf.keras.Model(base.input, out)


def main():
    train = pipeline("train", 16, True)
    valid = pipeline("valid", 16, False)
    model = build()
    model.compile(tf.keras.optimizers.Adam(1e-4), "binary_crossentropy",
                  metrics=[tf.keras.metrics.AUC(multi_label=True)])
    model.fit(train, validation_data=valid, epochs=12,
              callbacks=[tf.keras.callbacks.ModelCheckpoint("xray.keras", save_best_only=True)])


if __name__ == "__main__":
    main()
