# requires: tensorflow==2.17.0
"""Flowers with augmentation layers in the input pipeline."""
import tensorflow as tf
from tensorflow.keras import layers

augmentation = tf.keras.Sequential(
    [layers.RandomFlip("horizontal"), layers.RandomRotation(0.1)]
)


def load(folder):
    return tf.keras.utils.image_dataset_from_directory(
        folder, image_size=(180, 180), batch_size=32
    )


def train_data(folder):
    images = load(folder)
    augmented = images.map(lambda x, y: (augmentation(x, training=True), y))  # note: serial-map
    return augmented.prefetch(tf.data.AUTOTUNE)


def main():
    data = train_data("flowers")
    model = tf.keras.applications.MobileNetV2(weights=None, classes=5, input_shape=(180, 180, 3))
    model.compile("sgd", "sparse_categorical_crossentropy")
    model.fit(data, epochs=5)


main()
