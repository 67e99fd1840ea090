# requires: keras==2.1.6
"""Toxic comments: bidirectional GRU, five folds, blended. Keras on TF 1.8 (kernel's GPU)."""
import gc
import os

import numpy as np
import pandas as pd
import tensorflow as tf
from keras import backend as K
from keras.callbacks import Callback, EarlyStopping
from keras.layers import (GRU, Bidirectional, Dense, Embedding, GlobalAveragePooling1D,
                          GlobalMaxPooling1D, Input, SpatialDropout1D, concatenate)
from keras.models import Model
from keras.preprocessing.sequence import pad_sequences
from keras.preprocessing.text import Tokenizer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold

CLASSES = ["toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate"]
MAX_WORDS, MAX_LEN, DIM = 100000, 150, 300


class RocAuc(Callback):
    def __init__(self, x, y):
        super().__init__()
        self.x, self.y = x, y

    def on_epoch_end(self, epoch, logs=None):
        print("roc auc %.5f" % roc_auc_score(self.y, self.model.predict(self.x, batch_size=1024)))


def fresh_session():
    K.clear_session()
    config = tf.ConfigProto()
    config.gpu_options.allow_growth = True
    K.set_session(tf.Session(config=config))
    tf.set_random_seed(7)


def embedding_matrix(path, index):
    matrix = np.zeros((MAX_WORDS, DIM), "float32")
    with open(path, encoding="utf8") as f:
        for line in f:
            word, _, values = line.rstrip().partition(" ")
            if index.get(word, MAX_WORDS) < MAX_WORDS:
                matrix[index[word]] = np.array(values.split(" "), "float32")
    return matrix


def build(matrix):
    inputs = Input((MAX_LEN,))
    x = Embedding(MAX_WORDS, DIM, weights=[matrix], trainable=False)(inputs)
    x = SpatialDropout1D(0.2)(x)
    x = Bidirectional(GRU(80, return_sequences=True))(x)
    x = concatenate([GlobalAveragePooling1D()(x), GlobalMaxPooling1D()(x)])
    model = Model(inputs, Dense(6, activation="sigmoid")(x))
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    return model


def sequences(tokenizer, texts):
    return pad_sequences(tokenizer.texts_to_sequences(texts), maxlen=MAX_LEN)


def main(folder="../input"):
    train = pd.read_csv(os.path.join(folder, "train.csv"))
    test = pd.read_csv(os.path.join(folder, "test.csv"))
    tokenizer = Tokenizer(num_words=MAX_WORDS)
    tokenizer.fit_on_texts(list(train.comment_text.fillna("")) + list(test.comment_text.fillna("")))
    x, y = sequences(tokenizer, train.comment_text.fillna("")), train[CLASSES].values
    x_test = sequences(tokenizer, test.comment_text.fillna(""))
    matrix = embedding_matrix(os.path.join(folder, "crawl-300d-2M.vec"), tokenizer.word_index)
    blend = np.zeros((len(test), len(CLASSES)))
    for fold, (rows, held) in enumerate(KFold(5, shuffle=True, random_state=1).split(x)):
        fresh_session()
        model = build(matrix)
        callbacks = [RocAuc(x[held], y[held]), EarlyStopping(patience=2)]
        model.fit(x[rows], y[rows], batch_size=64, epochs=6,
                  validation_data=(x[held], y[held]), callbacks=callbacks)
        blend += model.predict(x_test, batch_size=1024) / 5
        model.save_weights("gru_%d.h5" % fold)
        del model
        gc.collect()
    out = pd.DataFrame(blend, columns=CLASSES)
    out.insert(0, "id", test.id)
    out.to_csv("submission.csv", index=False)


if __name__ == "__main__":
    main()
