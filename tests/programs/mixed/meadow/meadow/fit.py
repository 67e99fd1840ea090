"""python -m meadow.fit 'gs://plots/train-*' 'gs://plots/valid-*'"""

import sys

import tensorflow as tf
from tensorflow.keras import layers

from meadow import records, spectra


class Normalise(layers.Layer):
    def call(self, inputs):
        return spectra.standard_normal_variate(inputs)


def build():
    photo = layers.Input((160, 160, 3), name="photo")
    spectrum = layers.Input((210,), name="spectrum")
    base = tf.keras.applications.MobileNetV2(include_top=False, weights="imagenet", input_shape=(160, 160, 3))
    base.trainable = False
    x = layers.GlobalAveragePooling2D()(base(photo))
    y = layers.Dense(64, "relu")(Normalise()(spectrum))
    z = layers.Dense(64, "relu")(layers.concatenate([x, y]))
    return tf.keras.Model([photo, spectrum], layers.Dense(1, "softplus")(z))


def main(train, valid, batch=64, epochs=20):
    print(records.first_few(train))
    steps = records.length(train) // batch
    model = build()
    model.compile("adam", "poisson")
    model.fit(
        records.training(train, batch).repeat(),
        steps_per_epoch=steps,
        epochs=epochs,
        validation_data=records.validation(valid, batch),
    )
    model.save("meadow.keras")


if __name__ == "__main__":
    main(*sys.argv[1:])
