"""Train an aerial scene classifier from TFRecord shards."""
import argparse

import keras
import tensorflow as tf

SIZE = 224
FEATURES = {
    "image": tf.io.FixedLenFeature([], tf.string),
    "label": tf.io.FixedLenFeature([], tf.int64),
}


def parse(record):
    ex = tf.io.parse_single_example(record, FEATURES)
    image = tf.io.decode_jpeg(ex["image"], channels=3)
    return tf.image.resize(image, (SIZE + 32, SIZE + 32)), ex["label"]


def augment(image, label):
    image = tf.image.random_crop(image, (SIZE, SIZE, 3))
    image = tf.image.random_flip_left_right(image)
    image = tf.image.random_flip_up_down(image)
    image = tf.image.random_brightness(image, 20.0)
    image = tf.image.random_saturation(image, 0.7, 1.3)
    return tf.clip_by_value(image, 0.0, 255.0), label


def center(image, label):
    return tf.image.resize_with_crop_or_pad(image, SIZE, SIZE), label


class Shards:
    def __init__(self, pattern, batch_size):
        self.pattern = pattern
        self.batch_size = batch_size

    def records(self, shuffle):
        files = tf.data.Dataset.list_files(self.pattern, shuffle=shuffle)
        return files.interleave(
            tf.data.TFRecordDataset, cycle_length=8, num_parallel_calls=tf.data.AUTOTUNE, deterministic=not shuffle
        )

    def train(self):
        ds = self.records(True).shuffle(20_000)
        ds = ds.map(parse, num_parallel_calls=tf.data.AUTOTUNE)
        ds = ds.map(augment, num_parallel_calls=tf.data.AUTOTUNE)
        return ds.batch(self.batch_size, drop_remainder=True).prefetch(tf.data.AUTOTUNE)

    def valid(self):
        ds = self.records(False).map(parse, num_parallel_calls=tf.data.AUTOTUNE)
        ds = ds.map(center, num_parallel_calls=tf.data.AUTOTUNE)
        return ds.batch(self.batch_size).prefetch(tf.data.AUTOTUNE)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--train", default="shards/train-*.tfrecord")
    ap.add_argument("--valid", default="shards/valid-*.tfrecord")
    ap.add_argument("--classes", type=int, default=45)
    ap.add_argument("--epochs", type=int, default=30)
    ap.add_argument("--batch-size", type=int, default=256)
    args = ap.parse_args()

    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    base = keras.applications.ConvNeXtTiny(include_top=False, pooling="avg", input_shape=(SIZE, SIZE, 3))
    head = keras.layers.Dense(args.classes, dtype="float32")
    model = keras.Sequential([keras.Input((SIZE, SIZE, 3)), base, keras.layers.Dropout(0.2), head])
    model.compile(
        optimizer=keras.optimizers.AdamW(1e-4),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.fit(
        Shards(args.train, args.batch_size).train(),
        validation_data=Shards(args.valid, args.batch_size).valid(),
        epochs=args.epochs,
        callbacks=[keras.callbacks.BackupAndRestore("backup")],
        verbose=2,
    )
    model.save("aerial.keras")


if __name__ == "__main__":
    main()
