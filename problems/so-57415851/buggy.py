"""Grid search for a small text classifier: units and dropout."""

import keras
import numpy as np

UNITS = (16, 32, 64, 256)
DROPOUTS = (0.0, 0.2, 0.4)
WORDS = 400
LENGTH = 20


def texts():
    rng = np.random.default_rng(57)
    tokens = rng.integers(1, WORDS, size=(128, LENGTH))
    return tokens, (tokens.mean(axis=1) > WORDS / 2).astype("float32")


def classifier(units, dropout):
    tokens = keras.Input((LENGTH,), dtype="int32")
    hidden = keras.layers.Embedding(WORDS, 32)(tokens)
    hidden = keras.layers.GlobalAveragePooling1D()(hidden)
    hidden = keras.layers.Dense(units, activation="relu")(hidden)
    hidden = keras.layers.Dropout(dropout, seed=1)(hidden)
    model = keras.Model(tokens, keras.layers.Dense(1, activation="sigmoid")(hidden))  # finding
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    return model


def grid_search(tokens, labels):
    results = {}
    for units in UNITS:
        for dropout in DROPOUTS:
            keras.utils.set_random_seed(units)
            model = classifier(units, dropout)
            history = model.fit(tokens, labels, batch_size=32, epochs=2, shuffle=False, verbose=0)
            results[f"{units} units, dropout {dropout}"] = history.history["loss"][-1]
    return results


def main():
    tokens, labels = texts()
    return grid_search(tokens, labels)


if __name__ == "__main__":
    print(main())
