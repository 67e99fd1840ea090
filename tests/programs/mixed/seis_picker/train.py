"""python train.py manifest.txt"""
import sys

import tensorflow as tf

import traces
from stages import REGISTRY

PLAN = dict(single="coloured_noise", batched="spectrogram")


def stream(manifest, training, batch=64):
    ds = tf.data.Dataset.from_tensor_slices(traces.index(manifest))
    if training:
        ds = ds.shuffle(20000)
    ds = ds.map(traces.fetch_trace)  # finding: serial-map
    if training:
        ds = ds.map(REGISTRY[PLAN["single"]])  # finding: serial-map
    ds = ds.batch(batch, drop_remainder=training)
    ds = ds.map(REGISTRY[PLAN["batched"]])
    return ds.prefetch(tf.data.AUTOTUNE)


def network():
    layers = tf.keras.layers
    body = [layers.Conv2D(w, 3, strides=2, activation="relu", padding="same") for w in (16, 32, 64)]
    return tf.keras.Sequential(body + [layers.GlobalAveragePooling2D(), layers.Dense(64, "relu"), layers.Dense(1)])


if __name__ == "__main__":
    net = network()
    net.compile(tf.keras.optimizers.Adam(3e-4), "huber")
    net.fit(stream(sys.argv[1], True), epochs=30)
    print(net.evaluate(stream(sys.argv[1] + ".val", False)))
