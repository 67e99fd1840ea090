# requires: tensorflow==1.12.*
"""tf.keras on TF 1.12: a warm-up per batch and a look at gradients."""
import argparse

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras import callbacks, layers, models


class WarmUp(callbacks.Callback):
    def __init__(self, steps, peak):
        super(WarmUp, self).__init__()
        self.steps, self.peak, self.seen = steps, peak, 0
        self.rates = []

    def on_batch_begin(self, batch, logs=None):
        self.seen += 1
        rate = self.peak * min(1.0, self.seen / self.steps)
        K.get_session().run(tf.assign(self.model.optimizer.lr, rate))  # finding: graph-growth

    def on_batch_end(self, batch, logs=None):
        decayed = self.model.optimizer.lr / (1.0 + self.model.optimizer.decay * self.seen)  # finding: graph-growth
        self.rates.append(K.eval(decayed))


class WeightNorms(callbacks.Callback):
    """Norms of all kernels after each epoch, computed by NumPy."""

    def on_train_begin(self, logs=None):
        self.norms = []

    def on_epoch_end(self, epoch, logs=None):
        self.norms.append([np.linalg.norm(w) for w in self.model.get_weights() if w.ndim > 1])


def load(path):
    blob = np.load(path)
    return blob["x"].astype("float32"), blob["y"].astype("int32")


def build(features, classes):
    model = models.Sequential()
    model.add(layers.Dense(256, activation="relu", input_shape=(features,)))
    model.add(layers.BatchNormalization())
    model.add(layers.Dropout(0.3))
    model.add(layers.Dense(128, activation="relu"))
    model.add(layers.Dense(classes, activation="softmax"))
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--batch-size", type=int, default=128)
    args = parser.parse_args()
    x, y = load(args.data)
    model = build(x.shape[1], int(y.max()) + 1)
    model.compile(tf.keras.optimizers.Adam(1e-3), "sparse_categorical_crossentropy", metrics=["accuracy"])
    norms = WeightNorms()
    model.fit(x, y, batch_size=args.batch_size, epochs=args.epochs, validation_split=0.1,
              callbacks=[WarmUp(1000, 1e-3), norms])
    np.save("norms.npy", np.array(norms.norms))


if __name__ == "__main__":
    main()
