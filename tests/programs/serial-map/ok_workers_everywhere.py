# requires: tensorflow==1.13.*
"""Re-identification; every map gets its threads, in one way or another."""
import argparse
import functools

import tensorflow as tf


def parallel(threads):
    return functools.partial(tf.data.Dataset.map, num_parallel_calls=threads)


def decode(path, label):
    image = tf.image.decode_jpeg(tf.read_file(path), channels=3)
    return tf.image.resize_images(image, (256, 128)), label


def augment(image, label):
    image = tf.image.random_flip_left_right(image)
    return tf.random_crop(image, (240, 120, 3)), label


class Loader(object):
    def __init__(self, args):
        self.batch = args.batch_size
        self.kwargs = {"num_parallel_calls": args.threads}
        self.pmap = parallel(args.threads)

    def paths(self, listing):
        lines = tf.data.TextLineDataset(listing)
        return lines.map(self.fields, **self.kwargs)

    @staticmethod
    def fields(line):
        path, label = tf.decode_csv(line, [[""], [0]])
        return path, label

    def train(self, listing):
        ds = self.paths(listing).shuffle(30000).repeat()
        ds = self.pmap(ds, decode)
        return ds.apply(tf.data.experimental.map_and_batch(augment, self.batch, num_parallel_batches=2))

    def gallery(self, listing):
        ds = self.paths(listing).map(decode, 8)
        return ds.batch(self.batch).prefetch(1)

    def sharded(self, pattern):
        files = tf.data.Dataset.list_files(pattern)
        records = files.apply(tf.data.experimental.parallel_interleave(tf.data.TFRecordDataset, 8))
        return records.prefetch(1)


def embed(images):
    net = tf.layers.conv2d(images, 64, 7, 2, activation=tf.nn.relu)
    for width in (128, 256, 512):
        net = tf.layers.conv2d(net, width, 3, 2, activation=tf.nn.relu)
    return tf.nn.l2_normalize(tf.reduce_mean(net, [1, 2]), 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("listing")
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--batch_size", type=int, default=72)
    args = parser.parse_args()
    images, labels = Loader(args).train(args.listing).make_one_shot_iterator().get_next()
    loss = tf.contrib.losses.metric_learning.triplet_semihard_loss(labels, embed(images))
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.AdamOptimizer(2e-4).minimize(loss, step)
    with tf.train.MonitoredTrainingSession("reid", save_checkpoint_secs=600) as sess:
        while not sess.should_stop():
            sess.run(train_op)


if __name__ == "__main__":
    main()
