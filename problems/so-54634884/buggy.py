"""Churn of customers is learnt by a small network from a table of their habits."""

import numpy as np
import tensorflow as tf

CUSTOMERS = 1536
HABITS = 12
BATCH = 32


def make_table(seed=18):
    rng = np.random.default_rng(seed)
    habits = rng.normal(size=(CUSTOMERS, HABITS)).astype(np.float32)
    churned = (habits[:, 0] + habits[:, 1] * habits[:, 2] > 0).astype(np.float32)
    return habits, churned


def build_model():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input((HABITS,)),
            tf.keras.layers.Dense(32, activation="relu"),
            tf.keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
    return model


def main():
    tf.keras.utils.set_random_seed(90)
    habits, churned = make_table()
    dataset = tf.data.Dataset.from_tensor_slices((habits, churned))
    dataset = dataset.shuffle(CUSTOMERS, seed=1).batch(BATCH).repeat()
    model = build_model()
    history = model.fit(dataset, epochs=1, steps_per_epoch=len(habits), verbose=0)  # finding
    return {
        "epochs": len(history.history["loss"]),
        "shape": list(model(habits, training=False).shape),
    }


if __name__ == "__main__":
    print(main())
