import glob
import sys

import tensorflow as tf

from count import FEATURES, label_histogram, size_by_loop, size_by_reduce, size_by_sum

BATCH = 128


def parse(serialized):
    example = tf.io.parse_single_example(serialized, FEATURES)
    image = tf.io.decode_jpeg(example["image"], channels=3)
    image = tf.image.resize(image, (96, 96)) / 255.0
    return image, example["label"]


def pipeline(files):
    held = tf.data.TFRecordDataset(files, num_parallel_reads=4)
    held = held.shuffle(4096).repeat()
    held = held.map(parse, num_parallel_calls=tf.data.AUTOTUNE)
    return held.batch(BATCH)


def network():
    return tf.keras.Sequential([
        tf.keras.layers.Conv2D(32, 3, strides=2, activation="relu", input_shape=(96, 96, 3)),
        tf.keras.layers.Conv2D(64, 3, strides=2, activation="relu"),
        tf.keras.layers.GlobalAveragePooling2D(),
        tf.keras.layers.Dense(10),
    ])


def main(folder):
    train = sorted(glob.glob(folder + "/train-*"))
    valid = sorted(glob.glob(folder + "/valid-*"))
    n_train, n_valid = size_by_loop(train), size_by_sum(valid)
    print(n_train, n_valid, size_by_reduce(valid), label_histogram(valid))
    model = network()
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    dataset = pipeline(train)
    batches = next(iter(pipeline(valid)))
    model.fit(  # finding: steps-as-samples
        dataset,
        epochs=20,
        steps_per_epoch=n_train,
        validation_data=pipeline(valid).prefetch(1),
        validation_steps=n_valid // BATCH,
    )
    print(model.evaluate(*batches, verbose=0))


if __name__ == "__main__":
    main(sys.argv[1])
