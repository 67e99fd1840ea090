# requires: tensorflow-gpu==1.14.0
"""Input side of the re-identification trainer (see configs/*.yaml)."""
import functools
import glob
import multiprocessing
import os
from multiprocessing.pool import ThreadPool

import tensorflow as tf
import yaml


class Config(dict):
    __getattr__ = dict.__getitem__

    @classmethod
    def load(cls, path):
        with open(path) as stream:
            return cls(yaml.safe_load(stream))


def default_workers(config):
    return config.get("workers") or multiprocessing.cpu_count()


def read_image(path, pid, height, width):
    image = tf.image.decode_jpeg(tf.read_file(path), channels=3)
    image = tf.image.resize_images(image, [height, width])
    return image, pid


def augment(image, pid):
    image = tf.image.random_flip_left_right(image)
    image = tf.pad(image, [[10, 10], [10, 10], [0, 0]])
    return tf.random_crop(image, [256, 128, 3]), pid


def exists(paths):
    """Which of the listed pictures are really there (the share is slow)."""
    pool = ThreadPool(16)
    present = pool.map(os.path.exists, paths)
    pool.close()
    return [path for path, there in zip(paths, present) if there]


def pid_of(path):
    return int(os.path.basename(path).split("_")[0])


class ReidData(object):
    def __init__(self, config):
        self.config = config
        self.workers = default_workers(config)
        paths = exists(sorted(glob.glob(os.path.join(config.root, "bounding_box_train", "*.jpg"))))
        ids = sorted(set(map(pid_of, paths)))
        self.classes = dict(map(reversed, enumerate(ids)))
        self.paths = paths
        self.labels = [self.classes[pid_of(path)] for path in paths]

    def _map(self, dataset, function, **keywords):
        keywords.setdefault("num_parallel_calls", self.workers)
        return dataset.map(function, **keywords)

    def train(self):
        reader = functools.partial(
            read_image, height=self.config.height, width=self.config.width
        )
        dataset = tf.data.Dataset.from_tensor_slices((self.paths, self.labels))
        dataset = dataset.shuffle(len(self.paths)).repeat()
        dataset = self._map(dataset, reader)
        dataset = self._map(dataset, augment)
        return dataset.batch(self.config.batch_size).prefetch(1)

    def records(self, pattern, parse):
        files = tf.data.Dataset.list_files(pattern)
        dataset = files.apply(
            tf.data.experimental.parallel_interleave(tf.data.TFRecordDataset, cycle_length=8, sloppy=True)
        )
        dataset = dataset.map(parse, self.workers)
        return dataset.batch(self.config.batch_size).prefetch(1)

    def queries(self):
        """Both cameras' queries; a handful of names, read when asked for."""
        cameras = tf.data.Dataset.from_tensor_slices(["c1", "c2"])
        return cameras.map(lambda name: tf.strings.join([self.config.root, "/query/", name]))


def main(path="configs/market.yaml"):
    config = Config.load(path)
    data = ReidData(config)
    images, labels = data.train().make_one_shot_iterator().get_next()
    features = tf.layers.flatten(tf.layers.conv2d(images / 255.0, 32, 7, strides=4, activation=tf.nn.relu))
    logits = tf.layers.dense(features, len(data.classes))
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(config.lr).minimize(loss, tf.train.get_or_create_global_step())
    hooks = [tf.train.StopAtStepHook(config.steps), tf.train.NanTensorHook(loss)]
    with tf.train.MonitoredTrainingSession(checkpoint_dir=config.out, hooks=hooks) as session:
        while not session.should_stop():
            session.run(train_op)


if __name__ == "__main__":
    main()
