"""python -m churn_features.train --data churn"""
import argparse

import tensorflow as tf

from churn_features import pipeline


def build_model(width):
    inputs = tf.keras.Input([5])
    x = tf.keras.layers.Dense(width, activation="relu")(inputs)
    x = tf.keras.layers.Dropout(0.2)(x)
    x = tf.keras.layers.Dense(width // 2, activation="relu")(x)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(1, activation="sigmoid")(x))


def run(args):
    train = pipeline.batches(args.data + "/train.npz", args.batch_size)
    valid = pipeline.batches(args.data + "/valid.npz", 4096, training=False)
    model = build_model(args.width)
    model.compile("adam", "binary_crossentropy", metrics=[tf.keras.metrics.AUC(name="auc")])
    model.fit(
        train,
        steps_per_epoch=args.steps,
        epochs=args.epochs,
        validation_data=valid,
        callbacks=[tf.keras.callbacks.EarlyStopping("val_auc", mode="max", patience=3)],
    )
    model.save(args.out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", default="model")
    parser.add_argument("--batch-size", type=int, default=512)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--width", type=int, default=128)
    run(parser.parse_args())
