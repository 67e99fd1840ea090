# requires: tensorflow==2.5.*
"""Windows of prices, and what is mapped over them already takes batches."""
import numpy as np
import pandas as pd
import tensorflow as tf

WINDOW, HORIZON, BATCH = 60, 5, 256
AUTOTUNE = tf.data.AUTOTUNE


class Windows:
    def __init__(self, path, columns=("open", "high", "low", "close", "volume")):
        frame = pd.read_csv(path)[list(columns)].astype("float32")
        self.close = columns.index("close")
        self.values = np.log(frame.to_numpy())
        cut = int(len(self.values) * 0.8)
        self.parts = {"train": self.values[:cut], "valid": self.values[cut:]}

    def split(self, windows):
        past = windows[:, :WINDOW, :]
        future = windows[:, WINDOW:, self.close]
        base = past[:, -1:, :]
        return past - base, future - base[:, :, self.close]

    def dataset(self, part):
        ds = tf.keras.preprocessing.timeseries_dataset_from_array(
            self.parts[part], None, WINDOW + HORIZON, shuffle=part == "train", batch_size=BATCH)
        return ds.map(self.split, num_parallel_calls=AUTOTUNE).prefetch(AUTOTUNE)

    def by_hand(self, part):
        """The same with `window`, whose windows are batches of one series each."""
        ds = tf.data.Dataset.from_tensor_slices(self.parts[part])
        ds = ds.window(WINDOW + HORIZON, shift=1, drop_remainder=True)
        ds = ds.flat_map(lambda window: window.batch(WINDOW + HORIZON))
        return ds.batch(BATCH).map(self.split, num_parallel_calls=AUTOTUNE).prefetch(AUTOTUNE)


def lstm():
    model = tf.keras.Sequential([
        tf.keras.layers.LSTM(64, return_sequences=True, input_shape=(WINDOW, 5)),
        tf.keras.layers.LSTM(64),
        tf.keras.layers.Dense(HORIZON),
    ])
    model.compile("adam", "mse")
    return model


if __name__ == "__main__":
    windows = Windows("btc.csv")
    model = lstm()
    model.fit(windows.dataset("train"), validation_data=windows.dataset("valid"), epochs=20)
    first = next(iter(windows.by_hand("valid").take(1)))
    print(model.evaluate(*first))
