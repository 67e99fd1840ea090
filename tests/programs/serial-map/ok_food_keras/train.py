import argparse
import glob

import tensorflow as tf

from pipeline import demo_examples, prepare
from schedule import WarmupCosine, steps


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("pattern", nargs="?")
    parser.add_argument("--demo", action="store_true", help="one step on made-up data")
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--epochs", type=int, default=30)
    return parser.parse_args()


def build(schedule):
    base = tf.keras.applications.ConvNeXtTiny(include_top=False, pooling="avg")
    inputs = tf.keras.Input((224, 224, 3))
    x = tf.keras.layers.RandomFlip("horizontal")(inputs)
    x = tf.keras.layers.RandomRotation(0.05)(x)
    outputs = tf.keras.layers.Dense(101)(base(x))
    model = tf.keras.Model(inputs, outputs)
    model.compile(
        tf.keras.optimizers.AdamW(schedule, weight_decay=0.05),
        tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
        jit_compile=True,
    )
    return model


def main():
    args = parse_args()
    (total,) = steps([75750], args.batch_size, args.epochs)
    model = build(WarmupCosine(1e-3, 2000, total))
    if args.demo:
        model.fit(demo_examples(), steps_per_epoch=1)
        return
    files = sorted(glob.glob(args.pattern))
    records = tf.data.TFRecordDataset(files, num_parallel_reads=tf.data.AUTOTUNE).shuffle(8192)
    model.fit(prepare(records, args.batch_size), epochs=args.epochs)
    model.save("food.keras")


if __name__ == "__main__":
    main()
