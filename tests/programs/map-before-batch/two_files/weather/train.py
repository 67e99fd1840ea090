import pandas as pd
import tensorflow as tf

from weather.features import with_features


def hours(csv):
    frame = pd.read_csv(csv)
    return tf.data.Dataset.from_tensor_slices(dict(frame[["temperature", "humidity"]]))


def main(csv="hours.csv"):
    dataset = with_features(hours(csv))
    for batch in dataset.batch(24):
        print(batch["temperature"].shape)


if __name__ == "__main__":
    main()
