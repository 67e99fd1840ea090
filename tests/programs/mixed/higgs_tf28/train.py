import numpy as np
import pandas as pd
import tensorflow as tf

COLUMNS = 28


def load(path):
    table = pd.read_csv(path, header=None, dtype=np.float32)
    return table.iloc[:, 1:].to_numpy(), table.iloc[:, 0].to_numpy()


def dense_model():
    inputs = tf.keras.Input((COLUMNS,))
    x = inputs
    for width in (300, 300, 300):
        x = tf.keras.layers.Dense(width, activation="elu")(x)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(1, activation="sigmoid")(x))


def normalizer(x):
    layer = tf.keras.layers.Normalization()
    layer.adapt(x[:100_000])
    return layer


class Report(tf.keras.callbacks.Callback):
    def __init__(self, probe):
        super().__init__()
        self.probe = tf.constant(probe)

    def on_epoch_end(self, epoch, logs=None):
        print(epoch, float(tf.reduce_mean(self.model(self.probe, training=False))))


def main():
    x, y = load("HIGGS.csv")
    x_train, y_train = x[:-500_000], y[:-500_000]
    x_test, y_test = x[-500_000:], y[-500_000:]
    model = dense_model()
    model.compile("adam", "binary_crossentropy", metrics=["AUC"])
    model.fit(  # finding: tensor-fed-fit
        tf.convert_to_tensor(x_train),
        tf.convert_to_tensor(y_train),
        batch_size=1024,
        epochs=10,
        validation_split=0.0,
        callbacks=[Report(x_test[:256])],
    )
    scores = model.predict(x_test)  # finding: predict-batch-size
    np.save("scores.npy", scores)
    print(model.evaluate(x_test, y_test, batch_size=8192))
    small = tf.constant([[0.0] * COLUMNS, [1.0] * COLUMNS])
    print(model.predict(small))


if __name__ == "__main__":
    main()
