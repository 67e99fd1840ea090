# requires: tensorflow==1.14.*, keras==2.2.*
"""Street sign reader: a pool of threads shares one session; folds are trained one after the other."""
import sys
from concurrent.futures import ThreadPoolExecutor

import keras.backend as K
import numpy as np
import tensorflow as tf
from keras.layers import Conv2D, Dense, Flatten, MaxPooling2D
from keras.models import Sequential, load_model
from sklearn.model_selection import KFold

_STATE = {}


def shared():
    if "session" not in _STATE:
        config = tf.ConfigProto(allow_soft_placement=True)
        config.gpu_options.allow_growth = True
        _STATE["graph"] = tf.Graph()
        with _STATE["graph"].as_default():
            _STATE["session"] = tf.Session(config=config)
            K.set_session(_STATE["session"])
            _STATE["model"] = load_model("signs.h5")
            _STATE["model"]._make_predict_function()
    return _STATE


def read_sign(path):
    state = shared()
    image = np.load(path)[None].astype("float32") / 255
    with state["graph"].as_default(), state["session"].as_default():
        return path, int(state["model"].predict(image).argmax())


def build():
    model = Sequential()
    model.add(Conv2D(32, 3, activation="relu", input_shape=(48, 48, 3)))
    model.add(MaxPooling2D())
    model.add(Conv2D(64, 3, activation="relu"))
    model.add(Flatten())
    model.add(Dense(43, activation="softmax"))
    model.compile("adam", "sparse_categorical_crossentropy", ["accuracy"])
    return model


def train(x, y):
    scores = []
    for train_rows, test_rows in KFold(5, shuffle=True).split(x):
        K.clear_session()
        K.set_session(tf.Session(config=tf.ConfigProto(allow_soft_placement=True)))
        model = build()
        model.fit(x[train_rows], y[train_rows], batch_size=128, epochs=20, verbose=2)
        scores.append(model.evaluate(x[test_rows], y[test_rows])[1])
    print("accuracy", np.mean(scores))
    model.save("signs.h5")


if __name__ == "__main__":
    if sys.argv[1] == "train":
        stored = np.load(sys.argv[2])
        train(stored["x"], stored["y"])
    else:
        shared()
        with ThreadPoolExecutor(4) as pool:
            for path, sign in pool.map(read_sign, sys.argv[2:]):
                print(path, sign)
