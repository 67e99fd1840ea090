# requires: tensorflow==2.4.1
"""House prices: wide and deep on tabular data."""
import numpy as np
import pandas as pd
import tensorflow as tf
from sklearn.model_selection import KFold

AUTOTUNE = tf.data.experimental.AUTOTUNE
NUMERIC = ["LotArea", "OverallQual", "YearBuilt", "GrLivArea", "TotalBsmtSF", "GarageArea"]
CATEGORICAL = ["Neighborhood", "HouseStyle", "ExterQual", "SaleCondition"]
TARGET = "SalePrice"


def statistics(frame):
    return {name: (float(frame[name].mean()), float(frame[name].std() + 1e-6)) for name in NUMERIC}


def normalizer(stats):
    def normalize(features, target):
        out = dict(features)
        for name, (mean, std) in stats.items():
            out[name] = (tf.cast(features[name], tf.float32) - mean) / std
        return out, tf.math.log1p(tf.cast(target, tf.float32))

    return normalize


def to_dataset(frame, stats, batch_size=256, training=True):
    features = {name: frame[name].values for name in NUMERIC + CATEGORICAL}
    dataset = tf.data.Dataset.from_tensor_slices((features, frame[TARGET].values))
    if training:
        dataset = dataset.shuffle(len(frame)).repeat()
    dataset = dataset.map(normalizer(stats), num_parallel_calls=AUTOTUNE)  # finding: map-before-batch
    dataset = dataset.batch(batch_size)
    return dataset.prefetch(AUTOTUNE)


def encode_inputs(frame):
    inputs, wide, deep = {}, [], []
    for name in NUMERIC:
        inputs[name] = tf.keras.Input((), name=name)
        deep.append(inputs[name][:, tf.newaxis])
    for name in CATEGORICAL:
        inputs[name] = tf.keras.Input((), name=name, dtype=tf.string)
        lookup = tf.keras.layers.experimental.preprocessing.StringLookup(
            vocabulary=sorted(frame[name].unique())
        )
        index = lookup(inputs[name])
        wide.append(tf.one_hot(index, lookup.vocab_size()))
        deep.append(tf.keras.layers.Embedding(lookup.vocab_size(), 8)(index))
    return inputs, tf.concat(wide, -1), tf.concat(deep, -1)


def build_model(frame):
    inputs, wide, deep = encode_inputs(frame)
    for units in (128, 64):
        deep = tf.keras.layers.Dense(units, "relu")(deep)
        deep = tf.keras.layers.Dropout(0.2)(deep)
    output = tf.keras.layers.Dense(1)(tf.concat([wide, deep], -1))
    model = tf.keras.Model(inputs, output)
    model.compile("adam", "mse", [tf.keras.metrics.RootMeanSquaredError()])
    return model


def cross_validate(frame, folds=5):
    scores = []
    for fold, (a, b) in enumerate(KFold(folds, shuffle=True, random_state=0).split(frame)):
        train, valid = frame.iloc[a], frame.iloc[b]
        stats = statistics(train)
        model = build_model(frame)
        model.fit(
            to_dataset(train, stats),
            steps_per_epoch=len(train) // 256,
            validation_data=to_dataset(valid, stats, training=False),
            epochs=60,
            verbose=0,
        )
        score = model.evaluate(to_dataset(valid, stats, training=False), verbose=0)[1]
        print(f"fold {fold}: {score:.4f}")
        scores.append(score)
    return np.mean(scores)


if __name__ == "__main__":
    data = pd.read_csv("../input/house-prices-advanced-regression-techniques/train.csv")
    data[CATEGORICAL] = data[CATEGORICAL].fillna("none")
    data[NUMERIC] = data[NUMERIC].fillna(data[NUMERIC].median())
    print("rmsle", cross_validate(data))
