import pathlib

import tensorflow as tf
from tensorflow.keras import layers

SIDE, SIZE = 180, 32


def augmenter():
    return tf.keras.Sequential([
        layers.RandomFlip("horizontal"),  # finding: buggy-version
        layers.RandomRotation(0.1),
        layers.Rescaling(1.0 / 255),
    ])


def split(root):
    kind = dict(validation_split=0.2, seed=1, image_size=(SIDE, SIDE), batch_size=SIZE)
    train = tf.keras.utils.image_dataset_from_directory(root, subset="training", **kind)
    valid = tf.keras.utils.image_dataset_from_directory(root, subset="validation", **kind)
    return train, valid


def ready(ds, augment=None):
    if augment is not None:
        ds = ds.map(lambda x, y: (augment(x, training=True), y), num_parallel_calls=tf.data.AUTOTUNE)
    return ds.prefetch(tf.data.AUTOTUNE)


def noisy(x, y):
    return x + tf.random.normal(tf.shape(x), stddev=0.05), y


def shuffled_words(path):
    ds = tf.data.TextLineDataset(path)
    ds = ds.map(tf.strings.lower)  # finding: map-before-batch
    return ds.batch(64).prefetch(1)


def with_noise(root):
    ds = tf.keras.utils.image_dataset_from_directory(root, image_size=(SIDE, SIDE), batch_size=SIZE)
    ds = ds.map(noisy)  # finding: serial-map
    return ds.prefetch(2)


def in_memory(images, labels):
    options = tf.data.Options()
    options.autotune.enabled = True
    ds = tf.data.Dataset.from_tensor_slices((images, labels)).cache()
    return ds.shuffle(1000).batch(SIZE).prefetch(tf.data.AUTOTUNE).with_options(options)


def whole(images, labels):
    ds = tf.data.Dataset.from_tensor_slices((images, labels))
    return ds.batch(len(images))


def network(classes):
    model = tf.keras.Sequential()
    for width in (16, 32, 64):
        model.add(layers.Conv2D(width, 3, padding="same", activation="relu"))
        model.add(layers.MaxPooling2D())
    model.add(layers.GlobalAveragePooling2D())
    model.add(layers.Dense(classes))
    return model


def main():
    root = pathlib.Path("leaves")
    train, valid = split(root)
    model = network(len(train.class_names))
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    model.fit(ready(train, augmenter()), validation_data=ready(valid), epochs=15)
    images, labels = next(iter(valid.unbatch().batch(100)))
    print(tf.math.confusion_matrix(labels, tf.argmax(model.predict(images), 1)))


if __name__ == "__main__":
    main()
