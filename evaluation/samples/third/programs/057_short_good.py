"""Click-through model for the shop's front page, trained on daily TFRecord exports.

usage: ctr.py 'exports/2025-03-*/part-*.tfrecord' --valid 'exports/2025-04-01/part-*.tfrecord'
"""
import argparse

import tensorflow as tf
from tensorflow import keras

N_COUNTS = 13
VOCABULARY = {"slot": 64, "campaign": 20_000, "category": 1_500, "device": 16, "country": 250}
FEATURES = {
    "clicked": tf.io.FixedLenFeature([], tf.int64),
    "counts": tf.io.FixedLenFeature([N_COUNTS], tf.float32),
    **{name: tf.io.FixedLenFeature([], tf.int64) for name in VOCABULARY},
}


def parse_impressions(records):
    example = tf.io.parse_example(records, FEATURES)
    clicked = tf.cast(example.pop("clicked"), tf.float32)
    example["counts"] = tf.math.log1p(tf.nn.relu(example["counts"]))
    for name, size in VOCABULARY.items():
        example[name] = tf.math.floormod(example[name], size)
    return example, clicked


def impressions(pattern, batch_size, training):
    files = tf.data.Dataset.list_files(pattern, shuffle=training)
    ds = files.interleave(
        tf.data.TFRecordDataset,
        cycle_length=8,
        num_parallel_calls=tf.data.AUTOTUNE,
        deterministic=not training,
    )
    if training:
        ds = ds.shuffle(200_000)
    ds = ds.batch(batch_size, drop_remainder=training)
    ds = ds.map(parse_impressions, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.prefetch(tf.data.AUTOTUNE)


def cross_layer(x0, x):
    return keras.layers.Add()([keras.layers.Multiply()([x0, keras.layers.Dense(x0.shape[-1])(x)]), x])


def build_model(dim=16, crosses=3, hidden=(512, 256)):
    inputs = {name: keras.Input((), dtype="int64", name=name) for name in VOCABULARY}
    inputs["counts"] = keras.Input((N_COUNTS,), name="counts")
    parts = [inputs["counts"]]
    for name, size in VOCABULARY.items():
        parts.append(keras.layers.Embedding(size, dim, name=f"emb_{name}")(inputs[name]))
    x0 = keras.layers.Concatenate()(parts)

    crossed = x0
    for _ in range(crosses):
        crossed = cross_layer(x0, crossed)
    deep = x0
    for width in hidden:
        deep = keras.layers.Dense(width, activation="relu")(deep)
    logit = keras.layers.Dense(1)(keras.layers.Concatenate()([crossed, deep]))
    return keras.Model(inputs, keras.layers.Flatten()(logit))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("train")
    parser.add_argument("--valid", required=True)
    parser.add_argument("--batch-size", type=int, default=8192)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--out", default="ctr.keras")
    args = parser.parse_args()

    model = build_model()
    model.compile(
        optimizer=keras.optimizers.Adam(2e-3),
        loss=keras.losses.BinaryCrossentropy(from_logits=True),
        metrics=[keras.metrics.AUC(from_logits=True, name="auc")],
    )
    model.fit(
        impressions(args.train, args.batch_size, training=True),
        validation_data=impressions(args.valid, args.batch_size, training=False),
        epochs=args.epochs,
    )
    model.save(args.out)


if __name__ == "__main__":
    main()
