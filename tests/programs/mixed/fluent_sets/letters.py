import sys

import tensorflow as tf

from fluent import Flow, apply_all


def read(path):
    label = tf.strings.split(path, "/")[-2]
    return tf.io.decode_png(tf.io.read_file(path), channels=1), tf.strings.to_number(label, tf.int64)


def shrink(image, label):
    return tf.image.resize(image, (28, 28)), label


def jitter(image, label):
    return tf.image.random_brightness(image, 0.2), label


def crop(image, label):
    return tf.image.random_crop(image, (24, 24, 1)), label


def training(pattern):
    return Flow.from_pattern(pattern).each(read).each_parallel(shrink).batches(64).done()


def evaluation(pattern):
    flow = Flow.from_pattern(pattern)
    flow.each_with(read, num_parallel_calls=4)
    flow.each_with(shrink, num_parallel_calls=4)
    return flow.batches(64).done()


def extra(pattern):
    files = tf.data.Dataset.list_files(pattern)
    images = apply_all(files.map(read, 4), [shrink, jitter, crop])
    return images.batch(64).prefetch(1)


def main(pattern, held):
    model = tf.keras.Sequential([
        tf.keras.layers.Conv2D(32, 3, activation="relu"),
        tf.keras.layers.GlobalAveragePooling2D(),
        tf.keras.layers.Dense(26),
    ])
    model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(training(pattern), validation_data=evaluation(held), epochs=5)
    model.fit(extra(pattern), epochs=5)


if __name__ == "__main__":
    main(*sys.argv[1:])
