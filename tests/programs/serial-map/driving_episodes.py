# requires: tensorflow-gpu==1.13.1
"""Behavioural cloning from recorded drives (TF 1.13, one TFRecord per drive)."""
import datetime
import os

import numpy as np
import tensorflow as tf

CAMERAS = ("left", "center", "right")


class DriveDataset:
    def __init__(self, cfg):
        self.cfg = cfg
        self.offset = dict(zip(CAMERAS, (0.2, 0.0, -0.2)))

    def _parse(self, proto):
        spec = {"image/" + c: tf.FixedLenFeature([], tf.string) for c in CAMERAS}
        spec["steering"] = tf.FixedLenFeature([], tf.float32)
        spec["speed"] = tf.FixedLenFeature([], tf.float32)
        return tf.parse_single_example(proto, spec)

    def _example(self, features):
        images, angles = [], []
        for camera in CAMERAS:
            image = tf.image.decode_jpeg(features["image/" + camera], channels=3)
            image = tf.image.crop_to_bounding_box(image, 60, 0, 75, 320)
            image = tf.image.resize_images(image, (66, 200))
            images.append(image / 127.5 - 1.0)
            angles.append(features["steering"] + self.offset[camera])
        return tf.data.Dataset.from_tensor_slices((tf.stack(images), tf.stack(angles)))

    def input_fn(self, mode):
        pattern = os.path.join(self.cfg["data"], mode, "*.tfrecord")
        files = tf.data.Dataset.list_files(pattern)
        ds = files.interleave(  # finding: serial-map
            lambda name: tf.data.TFRecordDataset(name).map(self._parse),
            cycle_length=8,
            block_length=16,
        )
        ds = ds.interleave(self._example, cycle_length=4)  # finding: serial-map
        if mode == "train":
            ds = ds.shuffle(3000).repeat()
        ds = ds.batch(self.cfg["batch_size"])
        return ds.prefetch(1)


def pilotnet(images, training):
    net = images
    for filters, kernel, stride in ((24, 5, 2), (36, 5, 2), (48, 5, 2), (64, 3, 1), (64, 3, 1)):
        net = tf.layers.conv2d(net, filters, kernel, stride, activation=tf.nn.elu)
    net = tf.layers.flatten(net)
    net = tf.layers.dropout(net, 0.5, training=training)
    for units in (100, 50, 10):
        net = tf.layers.dense(net, units, activation=tf.nn.elu)
    return tf.squeeze(tf.layers.dense(net, 1), -1)


def main():
    cfg = {"data": os.environ.get("DRIVES", "drives"), "batch_size": 128, "steps": 40000}
    dataset = DriveDataset(cfg)
    iterator = dataset.input_fn("train").make_one_shot_iterator()
    images, angles = iterator.get_next()
    predicted = pilotnet(images, True)
    loss = tf.losses.mean_squared_error(angles, predicted)
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.AdamOptimizer(1e-4).minimize(loss, step)
    saver = tf.train.Saver(max_to_keep=3)
    stamp = datetime.datetime.now().strftime("%m%d-%H%M")
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(cfg["steps"]):
            _, value = sess.run([train_op, loss])
            losses.append(value)
            if i % 500 == 499:
                print(i + 1, np.mean(losses[-500:]))
                saver.save(sess, "runs/%s/model" % stamp, global_step=step)


if __name__ == "__main__":
    main()
