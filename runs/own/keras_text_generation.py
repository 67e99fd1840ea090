"""Learns a text letter by letter and writes on, as Keras's example on generating text does."""

import keras
import numpy as np
from keras import layers

LENGTH = 40
STEP = 3
PHRASES = ["the tide turns ", "at noon ", "and the gauge ", "falls by ", "a hand ", "or two. "]


def sample(chances, temperature):
    chances = np.log(np.asarray(chances).astype("float64") + 1e-9) / temperature
    chances = np.exp(chances) / np.sum(np.exp(chances))
    return np.argmax(np.random.multinomial(1, chances, 1))


def main():
    keras.utils.set_random_seed(0)
    text = "".join(np.random.choice(PHRASES) for _ in range(3000))
    letters = sorted(set(text))
    index_of = {letter: index for index, letter in enumerate(letters)}
    pieces, followers = [], []
    for begin in range(0, len(text) - LENGTH, STEP):
        pieces.append(text[begin : begin + LENGTH])
        followers.append(text[begin + LENGTH])
    x = np.zeros((len(pieces), LENGTH, len(letters)), dtype="bool")
    y = np.zeros((len(pieces), len(letters)), dtype="bool")
    for row, piece in enumerate(pieces):
        for column, letter in enumerate(piece):
            x[row, column, index_of[letter]] = 1
        y[row, index_of[followers[row]]] = 1
    model = keras.Sequential(
        [
            keras.Input(shape=(LENGTH, len(letters))),
            layers.LSTM(64),
            layers.Dense(len(letters), activation="softmax"),
        ]
    )
    model.compile(loss="categorical_crossentropy", optimizer=keras.optimizers.RMSprop(0.01))
    for epoch in range(4):
        model.fit(x, y, batch_size=128, epochs=1, verbose=2)
        begin = np.random.randint(0, len(text) - LENGTH - 1)
        for diversity in (0.5, 1.0):
            sentence = text[begin : begin + LENGTH]
            written = ""
            for _ in range(60):
                rows = np.zeros((1, LENGTH, len(letters)))
                for column, letter in enumerate(sentence):
                    rows[0, column, index_of[letter]] = 1.0
                chances = model.predict(rows, verbose=0)[0]
                letter = letters[sample(chances, diversity)]
                sentence = sentence[1:] + letter
                written += letter
            print(f"epoch {epoch}, diversity {diversity}: {written}")


if __name__ == "__main__":
    main()
