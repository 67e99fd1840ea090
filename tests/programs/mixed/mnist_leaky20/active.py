"""Active learning: the pool's least sure pictures are labelled in every round."""
import numpy as np
import tensorflow as tf


def network():
    return tf.keras.Sequential([
        tf.keras.layers.Flatten(input_shape=(28, 28)),
        tf.keras.layers.Dense(128, activation="relu"),
        tf.keras.layers.Dense(10, activation="softmax"),
    ])


def margin(probabilities):
    ordered = np.sort(probabilities, axis=1)
    return ordered[:, -1] - ordered[:, -2]


def main(rounds=500, per_round=20):
    (x, y), (x_test, y_test) = tf.keras.datasets.mnist.load_data()
    x, x_test = x / 255.0, x_test / 255.0
    known = list(range(100))
    pool = np.arange(100, len(x))
    model = network()
    model.compile("adam", "sparse_categorical_crossentropy", ["accuracy"])
    for round_ in range(rounds):
        model.fit(x[known], y[known], epochs=1, batch_size=64, verbose=0)
        candidates = np.random.choice(pool, 2048, replace=False)
        sure = margin(model.predict(x[candidates], batch_size=2048))  # finding: buggy-version
        chosen = candidates[np.argsort(sure)[:per_round]]
        known.extend(chosen.tolist())
        pool = np.setdiff1d(pool, chosen)
    print(model.evaluate(x_test, y_test, batch_size=1024, verbose=0))


if __name__ == "__main__":
    main()
