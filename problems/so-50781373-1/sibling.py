"""Spending of visitors is estimated with Keras."""

from sibling_sessions import Visits
from tensorflow import keras


def estimator():
    keras.utils.set_random_seed(4)
    model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    return model


def main():
    return estimator().fit(Visits(900, seed=1).dataset(90), epochs=1, verbose=0).history["loss"]


if __name__ == "__main__":
    print(main())
