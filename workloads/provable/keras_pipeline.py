"""Pictures are decoded and turned in a `tf.data` pipeline, after TensorFlow's guide to images."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(2)


def pictures(count):
    random = tf.random.Generator.from_seed(1)
    images = tf.cast(random.uniform((count, 32, 32, 3), 0, 255), tf.uint8)
    labels = tf.cast(tf.reduce_mean(tf.cast(images[:, :8], tf.float32), (1, 2, 3)) > 127.5, tf.int32)
    return images, labels


def scale(image, label):
    image = tf.cast(image, tf.float32) / 255.0
    return (image - 0.5) * 2.0, label


def main():
    dataset = tf.data.Dataset.from_tensor_slices(pictures(4096))
    training = dataset.map(scale).batch(32)
    model = keras.Sequential(
        [
            keras.Input((32, 32, 3)),
            keras.layers.AveragePooling2D(4),
            keras.layers.Flatten(),
            keras.layers.Dense(16, activation="relu"),
            keras.layers.Dense(2),
        ]
    )
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    model.fit(training, epochs=3)


if __name__ == "__main__":
    main()
