import sys

import numpy as np
import tensorflow as tf

from callbacks import Gradients, KernelNorms, Schedule, Swap, folder

layers = tf.keras.layers


def build():
    model = tf.keras.Sequential([
        layers.Dense(64, "relu", input_shape=(20,)),
        layers.Dense(64, "relu"),
        layers.Dropout(0.2),
        layers.Dense(1),
    ])
    model.compile("sgd", "mse")
    return model


def manual(model, x, y, steps, careful):
    swap = Swap(model)
    for step in range(steps):
        rows = np.random.randint(len(x), size=64)
        model.train_on_batch(x[rows], y[rows])
        if careful:
            swap.step_slowly()
        else:
            swap.step()


def main(path):
    data = np.load(path)
    model = build()
    callbacks = [KernelNorms(folder("logs")), Gradients(), Schedule()]
    model.fit(data["x"], data["y"], epochs=30, batch_size=64, callbacks=callbacks)
    manual(build(), data["x"], data["y"], 5000, "--careful" in sys.argv)


if __name__ == "__main__":
    main(sys.argv[1])
