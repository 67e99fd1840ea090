"""Wide and deep on CSV files, estimator API."""
import tensorflow as tf

COLUMNS = ["age", "hours", "gain", "loss", "label"]
DEFAULTS = [[0.0]] * 4 + [[0]]


def parse_line(line):
    fields = tf.io.decode_csv(line, DEFAULTS)
    features = dict(zip(COLUMNS, fields))
    return features, features.pop("label")


def buckets(features, label):
    features["age"] = tf.floor(features["age"] / 10.0)
    features["gain"] = tf.math.log1p(features["gain"])
    return features, label


class Inputs:
    epochs = 40

    def __init__(self, files, batch):
        self.files, self.batch = files, batch

    def __call__(self):
        ds = tf.data.TextLineDataset(self.files).skip(1)
        ds = ds.map(parse_line)  # finding: serial-map, map-before-batch
        ds = ds.shuffle(5000).repeat(self.epochs)
        return ds.batch(self.batch)


class BatchedInputs(Inputs):
    def __call__(self):
        ds = tf.data.TextLineDataset(self.files).skip(1).shuffle(5000).repeat(self.epochs)
        return ds.batch(self.batch).map(parse_line, num_parallel_calls=4).prefetch(1)


class Bucketed(Inputs):
    def __call__(self):
        ds = tf.data.experimental.make_csv_dataset(self.files, 1, COLUMNS, label_name="label")
        ds = ds.apply(tf.data.experimental.unbatch())
        ds = ds.map(buckets, num_parallel_calls=4)  # finding: map-before-batch
        return ds.batch(self.batch)


def fused(files, batch):
    ds = tf.data.Dataset.list_files(files)
    ds = ds.apply(tf.data.experimental.parallel_interleave(tf.data.TextLineDataset, cycle_length=4))
    return ds.apply(tf.data.experimental.map_and_batch(parse_line, batch, num_parallel_calls=4))  # finding: map-before-batch


def main(_):
    columns = [tf.feature_column.numeric_column(c) for c in COLUMNS[:-1]]
    estimator = tf.estimator.DNNClassifier([64, 32], columns)
    estimator.train(Inputs(["train.csv"], 128))
    estimator.train(Bucketed("train*.csv", 128), max_steps=1000)
    print(estimator.evaluate(BatchedInputs(["test.csv"], 512)))


if __name__ == "__main__":
    tf.compat.v1.app.run()
