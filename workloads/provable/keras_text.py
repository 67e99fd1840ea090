"""Text is made letter by letter, after Keras' example of text generation with an LSTM."""

import random

import keras
import numpy as np
from keras import layers

keras.utils.set_random_seed(5)

text = "the rain in spain stays mainly in the plain and the sun shines on the hills again. " * 12
chars = sorted(set(text))
char_indices = {c: i for i, c in enumerate(chars)}
indices_char = dict(enumerate(chars))
maxlen = 20
step = 3
sentences = [text[i : i + maxlen] for i in range(0, len(text) - maxlen, step)]
next_chars = [text[i + maxlen] for i in range(0, len(text) - maxlen, step)]

x = np.zeros((len(sentences), maxlen, len(chars)), dtype="bool")
y = np.zeros((len(sentences), len(chars)), dtype="bool")
for i, sentence in enumerate(sentences):
    for t, char in enumerate(sentence):
        x[i, t, char_indices[char]] = 1
    y[i, char_indices[next_chars[i]]] = 1

model = keras.Sequential(
    [
        keras.Input(shape=(maxlen, len(chars))),
        layers.LSTM(32),
        layers.Dense(len(chars), activation="softmax"),
    ]
)
model.compile(loss="categorical_crossentropy", optimizer=keras.optimizers.RMSprop(0.01))


def sample(preds, temperature=1.0):
    preds = np.asarray(preds).astype("float64")
    preds = np.exp(np.log(preds) / temperature)
    return np.argmax(np.random.multinomial(1, preds / np.sum(preds), 1))


for epoch in range(2):
    model.fit(x, y, batch_size=64, epochs=1)
    print(f"\nGenerating text after epoch: {epoch}")
    start_index = random.randint(0, len(text) - maxlen - 1)
    for diversity in [0.5, 1.0]:
        generated = ""
        sentence = text[start_index : start_index + maxlen]
        for i in range(20):
            x_pred = np.zeros((1, maxlen, len(chars)))
            for t, char in enumerate(sentence):
                x_pred[0, t, char_indices[char]] = 1.0
            preds = model.predict(x_pred, verbose=0)[0]
            next_char = indices_char[sample(preds, diversity)]
            sentence = sentence[1:] + next_char
            generated += next_char
        print("...Diversity:", diversity, "...Generated:", generated)
