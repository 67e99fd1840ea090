import gc
import itertools
import json

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K


def build(units, rate):
    model = tf.keras.Sequential([tf.keras.layers.Dense(units, "relu"), tf.keras.layers.Dense(1)])
    model.compile(tf.keras.optimizers.Adam(rate), "mse")
    return model


def grid_search(x, y):
    results = {}
    for units, rate in itertools.product([32, 64, 128, 256, 512], [1e-2, 1e-3, 1e-4, 1e-5]):
        model = build(units, rate)  # finding: model-per-turn
        history = model.fit(x, y, epochs=20, verbose=0, validation_split=0.2)
        results[f"{units}/{rate}"] = min(history.history["val_loss"])
    return results


def grid_search_clean(x, y):
    results = {}
    for units, rate in itertools.product([32, 64, 128, 256, 512], [1e-2, 1e-3, 1e-4, 1e-5]):
        K.clear_session()
        model = build(units, rate)
        history = model.fit(x, y, epochs=20, verbose=0, validation_split=0.2)
        results[f"{units}/{rate}"] = min(history.history["val_loss"])
        del model
        gc.collect()
    return results


def score_files(paths):
    rows = {}
    for path in paths:
        model = tf.keras.models.load_model("best.keras")  # finding: model-per-turn
        rows[path] = model.predict(np.load(path)).mean()
    return rows


def average_checkpoints(paths, x):
    total = 0
    for path in paths:
        total = total + tf.keras.models.load_model(path).predict(x)
    return total / len(paths)


class Agent:
    def __init__(self):
        self.net = build(64, 1e-3)

    def target(self, rewards, following, gamma):
        return rewards + gamma * self.net.predict(following, verbose=0).max(1)

    def play(self, env, turns):
        state = env.reset()
        for _ in range(turns):
            q = self.net.predict(np.array([state]), verbose=0)  # finding: predict-per-item
            state, reward, done, _ = env.step(int(q.argmax()))
            if done:
                state = env.reset()

    def play_fast(self, env, turns):
        state = env.reset()
        for _ in range(turns):
            q = self.net(np.array([state]))
            state, reward, done, _ = env.step(int(tf.argmax(q[0])))
            if done:
                state = env.reset()


if __name__ == "__main__":
    data = np.load("data.npz")
    with open("grid.json", "w") as handle:
        json.dump(grid_search(data["x"], data["y"]), handle)
