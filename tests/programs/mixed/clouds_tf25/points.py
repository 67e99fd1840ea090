import itertools
import os

import tensorflow as tf

AUTO = tf.data.AUTOTUNE


def parse(record):
    f = tf.io.parse_single_example(
        record, {"xyz": tf.io.FixedLenFeature([2048, 3], tf.float32), "label": tf.io.FixedLenFeature([], tf.int64)}
    )
    return f["xyz"], f["label"]


def rotate(xyz, label):
    a = tf.random.uniform([], 0.0, 6.28)
    r = tf.stack([[tf.cos(a), -tf.sin(a), 0.0], [tf.sin(a), tf.cos(a), 0.0], [0.0, 0.0, 1.0]])
    return xyz @ r, label


def unit(xyz, label):
    xyz = xyz - tf.reduce_mean(xyz, -2, keepdims=True)
    return xyz / tf.reduce_max(tf.norm(xyz, axis=-1, keepdims=True), -2, keepdims=True), label


def order(xyz, label):
    return tf.random.shuffle(xyz), label


class Clouds:
    def __init__(self, folder, batch):
        self.folder, self.batch = folder, batch
        self.files = [os.path.join(folder, "%02d.tfrecord" % i) for i in range(64)]

    def __iter__(self):
        return iter(self.training())

    def records(self):
        names = tf.data.Dataset.from_tensor_slices(self.files)
        return names.interleave(tf.data.TFRecordDataset, cycle_length=16)  # finding: serial-map

    def training(self):
        ds = self.records().shuffle(8192).map(parse, AUTO)
        for fn in (rotate, order):
            ds = ds.map(fn, num_parallel_calls=AUTO)
        ds = ds.map(unit, num_parallel_calls=AUTO)  # finding: map-before-batch
        return ds.batch(self.batch, drop_remainder=True)

    def validation(self):
        ds = tf.data.TFRecordDataset(self.files[:8], num_parallel_reads=8)
        ds = ds.map(parse)  # finding: serial-map, map-before-batch
        return ds.batch(self.batch).map(unit, AUTO).prefetch(AUTO)


def main():
    clouds = Clouds("/data/modelnet", 32)
    net = tf.keras.Sequential([tf.keras.layers.Conv1D(64, 1, activation="relu"), tf.keras.layers.GlobalMaxPool1D(), tf.keras.layers.Dense(40)])
    net.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(True))
    for epoch in itertools.count():
        for xyz, label in clouds:
            loss = net.train_on_batch(xyz, label)
        print(epoch, loss, net.evaluate(clouds.validation()))
        if epoch == 50:
            return


if __name__ == "__main__":
    main()
