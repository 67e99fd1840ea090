"""A layer that gives each sequence its weighted spectrum, inside a Keras model."""

import keras
import numpy as np
import tensorflow as tf

SEQUENCES = 8192
LENGTH = 32


def energy(sequence):
    window = tf.signal.hann_window(LENGTH)
    centred = sequence - tf.reduce_mean(sequence)
    return tf.square(centred * window) / (tf.reduce_max(tf.abs(centred)) + 1e-6)


def energies(batch):
    return tf.map_fn(energy, batch)  # finding


def network():
    sequences = keras.Input((LENGTH,))
    features = keras.layers.Lambda(energies, output_shape=(LENGTH,))(sequences)
    hidden = keras.layers.Dense(16, activation="relu")(features)
    return keras.Model(sequences, keras.layers.Dense(1)(hidden))


def main():
    keras.utils.set_random_seed(57)
    rng = np.random.default_rng(395)
    sequences = rng.normal(size=(SEQUENCES, LENGTH)).astype("float32")
    model = network()
    return model.predict(sequences, batch_size=2048, verbose=0)


if __name__ == "__main__":
    print(main()[:3])
