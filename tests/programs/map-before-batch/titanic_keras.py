# requires: tensorflow==2.9.*
"""Survival on the Titanic, with features made in the pipeline so that serving can share them."""

import pandas as pd
import tensorflow as tf

NUMERIC = ["age", "fare", "sibsp", "parch"]
TEXT = {"sex": ["male", "female"], "embarked": ["S", "C", "Q"]}
BATCH = 32


def load():
    df = pd.read_csv("https://storage.googleapis.com/tf-datasets/titanic/train.csv")
    df = df.rename(columns={"n_siblings_spouses": "sibsp", "embark_town": "embarked"})
    df["age"] = df["age"].fillna(df["age"].median())
    return df.sample(frac=1.0, random_state=3)


def engineer(x, y):
    x = dict(x)
    x["family"] = x["sibsp"] + x["parch"] + 1
    x["alone"] = tf.cast(tf.equal(x["family"], 1), tf.float32)
    x["fare_each"] = x["fare"] / tf.cast(x["family"], x["fare"].dtype)
    x["child"] = tf.cast(x["age"] < 14, tf.float32)
    return x, y


def to_dataset(df, training):
    df = df.copy()
    labels = df.pop("survived")
    ds = tf.data.Dataset.from_tensor_slices((dict(df[NUMERIC + list(TEXT)]), labels))
    if training:
        ds = ds.shuffle(len(df)).repeat(50)
    ds = ds.map(engineer, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
    return ds.batch(BATCH).prefetch(tf.data.AUTOTUNE)


def build():
    numeric = NUMERIC + ["family", "alone", "fare_each", "child"]
    inputs = {n: tf.keras.Input((1,), name=n) for n in numeric}
    inputs.update({n: tf.keras.Input((1,), name=n, dtype=tf.string) for n in TEXT})
    parts = [tf.keras.layers.BatchNormalization()(tf.keras.layers.Concatenate()([inputs[n] for n in numeric]))]
    for name, words in TEXT.items():
        parts.append(tf.keras.layers.StringLookup(vocabulary=words, output_mode="one_hot")(inputs[name]))
    x = tf.keras.layers.Concatenate()(parts)
    x = tf.keras.layers.Dense(16, activation="relu")(x)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(1, activation="sigmoid")(x))


def main():
    df = load()
    cut = int(len(df) * 0.8)
    model = build()
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    model.fit(to_dataset(df[:cut], True), validation_data=to_dataset(df[cut:], False), epochs=1)
    model.save("titanic")


if __name__ == "__main__":
    main()
