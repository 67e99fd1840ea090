"""The folds of a cross-validation, and how one of them is judged."""

import numpy as np
from tensorflow.keras import Model, layers


def split(count, folds):
    order = np.random.default_rng(0).permutation(count)
    for held_out in np.array_split(order, folds):
        yield np.setdiff1d(order, held_out), held_out


def classifier(length):
    sound = layers.Input((length, 1))
    hidden = layers.Conv1D(16, 7, strides=2, activation="relu")(sound)
    hidden = layers.GlobalMaxPooling1D()(hidden)
    model = Model(sound, layers.Dense(2, activation="softmax")(hidden))  # finding
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def score_of_fold(sounds, labels, train, held_out):
    model = classifier(sounds.shape[1])
    history = model.fit(
        sounds[train],
        labels[train],
        validation_data=(sounds[held_out], labels[held_out]),
        batch_size=32,
        epochs=1,
        verbose=0,
    )
    return history.history["val_accuracy"][-1]
