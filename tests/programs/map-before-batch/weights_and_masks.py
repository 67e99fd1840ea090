# requires: tensorflow==2.15.*
"""Masked patients' records, weighted by class; lambdas on dicts."""
import numpy as np
import tensorflow as tf

AUTO = tf.data.AUTOTUNE
VITALS = ["heart", "pressure", "oxygen", "temperature"]


def load(path):
    blob = np.load(path)
    return tf.data.Dataset.from_tensor_slices({
        "vitals": blob["vitals"].astype("float32"), "lab": blob["lab"].astype("float32"),
        "died": blob["died"].astype("float32")})


def missing(ds):
    return ds.map(  # finding: map-before-batch
        lambda d: {**d, "mask": tf.cast(tf.math.is_finite(d["vitals"]), tf.float32)},
        num_parallel_calls=AUTO)


def fill(ds, values):
    values = tf.constant(values, tf.float32)
    return ds.map(  # finding: map-before-batch
        lambda d: {**d, "vitals": tf.where(d["mask"] > 0, d["vitals"], values)},
        num_parallel_calls=AUTO)


def as_inputs(ds, positive_weight):
    def split(d):
        died = d["died"]
        weight = tf.where(died > 0.5, positive_weight, 1.0)
        inputs = {name: tf.cast(d[name], tf.float32) for name in ("vitals", "lab", "mask")}
        return inputs, died, weight

    return ds.map(split, num_parallel_calls=AUTO)  # finding: map-before-batch


def make(path, batch_size, training):
    ds = as_inputs(fill(missing(load(path)), [80.0, 120.0, 97.0, 37.0]), 9.0)
    if training:
        ds = ds.shuffle(20_000)
    return ds.batch(batch_size).prefetch(AUTO)


def build(steps=48, labs=30):
    vitals = tf.keras.Input((steps, len(VITALS)), name="vitals")
    mask = tf.keras.Input((steps, len(VITALS)), name="mask")
    lab = tf.keras.Input((labs,), name="lab")
    x = tf.keras.layers.GRU(64)(tf.keras.layers.Concatenate()([vitals, mask]))
    x = tf.keras.layers.Concatenate()([x, tf.keras.layers.Dense(32, activation="relu")(lab)])
    out = tf.keras.layers.Dense(1, activation="sigmoid")(x)
    return tf.keras.Model([vitals, mask, lab], out)


if __name__ == "__main__":
    model = build()
    model.compile("adam", "binary_crossentropy", weighted_metrics=[tf.keras.metrics.AUC()])
    model.fit(make("icu_train.npz", 256, True), validation_data=make("icu_valid.npz", 1024, False), epochs=20)
