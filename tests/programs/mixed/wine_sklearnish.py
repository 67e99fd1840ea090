# requires: keras==3.3
"""An estimator around Keras for tabular data, with permutation importance and calibration."""

import numpy as np
import tensorflow as tf
from keras import Sequential, layers, models, regularizers
from sklearn.base import BaseEstimator, RegressorMixin


class DeepRegressor(BaseEstimator, RegressorMixin):
    def __init__(self, widths=(64, 32), epochs=50, batch_size=8, penalty=1e-5):
        self.widths = widths
        self.epochs = epochs
        self.batch_size = batch_size
        self.penalty = penalty

    def _network(self, inputs):
        network = Sequential([layers.Input((inputs,))])
        for width in self.widths:
            network.add(layers.Dense(width, "relu", kernel_regularizer=regularizers.L2(self.penalty)))
        network.add(layers.Dense(1))
        network.compile(optimizer="nadam", loss="mse")
        return network

    def fit(self, x, y):
        self.mean_, self.scale_ = x.mean(0), x.std(0) + 1e-9
        self.network_ = self._network(x.shape[1])
        inputs = tf.constant((x - self.mean_) / self.scale_, dtype=tf.float32)
        goals = tf.constant(y, dtype=tf.float32)
        self.network_.fit(inputs, goals, batch_size=self.batch_size, epochs=self.epochs, verbose=0)  # finding: tensor-fed-fit
        return self

    def predict(self, x):
        return self.network_.predict((x - self.mean_) / self.scale_, verbose=0)[:, 0]

    def uncertainty(self, x, times=20):
        """Dropout at test time; twenty passes over all rows."""
        scaled = (x - self.mean_) / self.scale_
        draws = [self.network_(scaled, training=True).numpy()[:, 0] for _ in range(times)]
        return np.std(draws, axis=0)


def importance(model, x, y, rng):
    """The loss when one column is shuffled; a prediction of all rows for each of 11 columns."""
    base = np.mean((model.predict(x) - y) ** 2)
    losses = np.zeros(x.shape[1])
    for column in range(x.shape[1]):
        other = x.copy()
        rng.shuffle(other[:, column])
        losses[column] = np.mean((model.predict(other) - y) ** 2) - base
    return losses


def partial_dependence(model, x, column, points=25):
    """Every row with every value of the grid, asked one by one."""
    curve = []
    for value in np.linspace(x[:, column].min(), x[:, column].max(), points):
        answers = []
        for row in x:
            changed = row.copy()
            changed[column] = value
            answers.append(model.predict(changed[None])[0])  # finding: predict-per-item
        curve.append(np.mean(answers))
    return np.array(curve)


def bootstrap(y, guess, rng, times=5_000):
    errors = np.abs(y - guess)
    means = np.empty(times)
    for n in range(times):
        means[n] = errors[rng.integers(0, len(errors), len(errors))].mean()
    return np.quantile(means, [0.025, 0.975])


def quantized(scores, edges):
    """The interval each score lies in."""
    places = np.zeros(len(scores), int)
    for n, score in enumerate(scores):
        places[n] = np.searchsorted(edges, score)  # finding: looped-update
    return places


def jittered(x, rng, copies=3):
    rows = []
    for row in x:
        for _ in range(copies):
            rows.append(row + rng.normal(0, 0.05, size=row.shape))  # finding: looped-draw
    return np.array(rows)


def latest(paths):
    """The newest model that can be read at all."""
    for path in reversed(sorted(paths)):
        try:
            return models.load_model(path)
        except ValueError:
            continue
    raise FileNotFoundError


def main():
    table = np.genfromtxt("winequality-red.csv", delimiter=";", skip_header=1)
    rng = np.random.default_rng(5)
    rng.shuffle(table)
    x, y = table[:, :-1], table[:, -1]
    model = DeepRegressor().fit(jittered(x[:1200], rng), np.repeat(y[:1200], 3))
    guess = model.predict(x[1200:])
    print(bootstrap(y[1200:], guess, rng))
    print(importance(model, x[1200:], y[1200:], rng))
    print(partial_dependence(model, x[1200:], 10))
    print(np.bincount(quantized(guess, np.arange(3, 9))))
    print(model.uncertainty(x[1200:]).mean())


if __name__ == "__main__":
    main()
