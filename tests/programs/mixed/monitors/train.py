import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

from callbacks import BestOf, Recall, Sample, Warm


def windows(text, dictionary, size=40):
    codes = np.array([dictionary[c] for c in text])
    starts = np.arange(len(codes) - size)
    return codes[starts[:, None] + np.arange(size)], codes[starts + size]


def one_hot_windows(codes: np.ndarray, size, classes):
    x = np.zeros((len(codes) - size, size, classes), dtype=bool)
    for i in range(len(codes) - size):
        for t in range(size):
            x[i, t, codes[i + t]] = 1  # finding: looped-update
    return x


def build(classes):
    model = tf.keras.Sequential()
    model.add(layers.Embedding(classes, 32))
    model.add(layers.LSTM(128))
    model.add(layers.Dense(classes, activation="softmax"))
    return model


def main():
    text = open("verses.txt").read().lower()
    dictionary = {c: i for i, c in enumerate(sorted(set(text)))}
    x, y = windows(text, dictionary)
    cut = int(len(x) * 0.9)
    model = build(len(dictionary))
    model.compile("rmsprop", "sparse_categorical_crossentropy")
    model.fit(
        x[:cut],
        y[:cut],
        batch_size=16,
        epochs=30,
        validation_data=(x[cut:], y[cut:]),
        callbacks=[BestOf(), Warm(1e-2, 500), Recall(x[cut:], y[cut:]), Sample(dictionary, ["the moon ", "o night "])],
    )
    print(model.evaluate(x[cut:], y[cut:], batch_size=512))
    print(model.predict(x[cut : cut + 5]))


def search(x, y, classes):
    best = None
    for rate in (0.1, 0.03, 0.01, 0.003, 0.001, 0.0003):
        for units in (64, 128, 256):
            model = build(classes)  # finding: model-per-turn
            model.compile(tf.keras.optimizers.Adam(rate), "sparse_categorical_crossentropy")
            loss = model.fit(x, y, epochs=2, batch_size=units).history["loss"][-1]
            if best is None or loss < best[0]:
                best = (loss, rate, units)
    return best


if __name__ == "__main__":
    main()
