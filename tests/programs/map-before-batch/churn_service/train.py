import argparse
import glob
import json

import tensorflow as tf

import feed
import schema


def build():
    inputs = {"numbers": tf.keras.Input((len(schema.NUMERIC),), name="numbers")}
    parts = [inputs["numbers"]]
    for name, words in schema.CATEGORICAL.items():
        inputs[name] = tf.keras.Input((), dtype="int64", name=name)
        parts.append(tf.keras.layers.Embedding(len(words) + 1, 4)(inputs[name]))
    x = tf.keras.layers.Concatenate()(parts)
    for units in (64, 32):
        x = tf.keras.layers.Dense(units, activation="relu")(x)
        x = tf.keras.layers.Dropout(0.2)(x)
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1, activation="sigmoid")(x))
    model.compile("adam", "binary_crossentropy", metrics=[tf.keras.metrics.AUC(name="auc")])
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pattern")
    parser.add_argument("--stats", default="stats.json")
    parser.add_argument("--epochs", type=int, default=20)
    args = parser.parse_args()
    with open(args.stats) as f:
        stats = json.load(f)
    paths = sorted(glob.glob(args.pattern))
    train, valid = paths[:-1], paths[-1:]
    model = build()
    model.fit(
        feed.pipeline(train, stats, 1024, training=True),
        validation_data=feed.pipeline(valid, stats, 1024, training=False),
        epochs=args.epochs,
    )
    model.save("churn.keras")


if __name__ == "__main__":
    main()
