# requires: tensorflow==2.16.*
"""Cats and dogs in Keras 3; the maps here are stateless or run in parallel."""
import keras
import tensorflow as tf

SIZE = (180, 180)


def decode(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    return tf.image.resize(image, SIZE)


def label_of(path):
    name = tf.strings.split(path, "/")[-1]
    return tf.cast(tf.strings.regex_full_match(name, "dog.*"), tf.int32)


augmentation = keras.Sequential([
    keras.layers.RandomFlip("horizontal"),
    keras.layers.RandomRotation(0.1),
])


def augment(images, labels):
    return augmentation(images, training=True), labels


def make(pattern, training, batch_size=64):
    paths = tf.data.Dataset.list_files(pattern, shuffle=training)
    images = paths.map(lambda p: (decode(p), label_of(p)))
    if training:
        images = images.shuffle(1000)
    batches = images.batch(batch_size)
    if training:
        batches = batches.map(augment, tf.data.AUTOTUNE)
    return batches.prefetch(tf.data.AUTOTUNE)


def separable(x, width):
    x = keras.layers.Activation("relu")(x)
    x = keras.layers.SeparableConv2D(width, 3, padding="same")(x)
    return keras.layers.BatchNormalization()(x)


def build():
    inputs = keras.Input(SIZE + (3,))
    x = keras.layers.Rescaling(1 / 255)(inputs)
    x = keras.layers.Conv2D(64, 3, strides=2, padding="same")(x)
    for width in (128, 256, 512):
        residual = keras.layers.Conv2D(width, 1, strides=2, padding="same")(x)
        x = separable(separable(x, width), width)
        x = keras.layers.MaxPooling2D(3, strides=2, padding="same")(x)
        x = keras.layers.add([x, residual])
    x = keras.layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, keras.layers.Dense(1, activation="sigmoid")(x))


if __name__ == "__main__":
    model = build()
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    model.fit(make("pets/train/*.jpg", True), validation_data=make("pets/valid/*.jpg", False),
              epochs=25)
