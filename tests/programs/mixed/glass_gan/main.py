from __future__ import division, print_function

import os

import numpy as np
import tensorflow as tf
from scipy.misc import imsave

from gan import GAN

flags = tf.app.flags
flags.DEFINE_string("images", "glass/*.png", "pictures of stained glass")
flags.DEFINE_integer("batch_size", 64, "pictures per step")
flags.DEFINE_integer("steps", 100000, "steps of both networks")
flags.DEFINE_string("logdir", "/tmp/glass", "where summaries go")
FLAGS = flags.FLAGS


def pictures(pattern, batch_size):
    def read(name):
        picture = tf.image.decode_png(tf.read_file(name), 3)
        picture = tf.image.resize_images(picture, [32, 32])
        return picture / 127.5 - 1.0

    names = tf.data.Dataset.list_files(pattern)
    examples = names.map(read).cache().repeat().shuffle(2000)  # finding: serial-map
    batches = examples.apply(tf.contrib.data.batch_and_drop_remainder(batch_size))
    return batches.prefetch(1).make_one_shot_iterator().get_next()


def tile(samples, rows):
    samples = samples.reshape((rows, -1) + samples.shape[1:])
    return np.concatenate(np.concatenate(samples, axis=1), axis=1)


def main(_):
    gan = GAN(pictures(FLAGS.images, FLAGS.batch_size), FLAGS.batch_size)
    tf.summary.scalar("d_loss", gan.d_loss)
    tf.summary.scalar("g_loss", gan.g_loss)
    merged = tf.summary.merge_all()
    writer = tf.summary.FileWriter(FLAGS.logdir)
    step = tf.train.get_or_create_global_step()
    advance = tf.assign_add(step, 1)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        writer.add_graph(sess.graph)
        while True:
            number = sess.run(step)
            if number >= FLAGS.steps:
                break
            for _ in range(2):
                sess.run(gan.d_step)
            sess.run([gan.g_step, advance])
            if number % 100 == 0:
                writer.add_summary(sess.run(merged), number)
                grid = tile(gan.sample(sess, 64), 8)
                image = tf.summary.image("samples", tf.constant(grid[None]))  # finding: graph-growth
                writer.add_summary(sess.run(image), number)
            if number % 5000 == 0:
                saver.save(sess, os.path.join(FLAGS.logdir, "gan"), number)
        for index, frame in enumerate(gan.walk(sess, 60)):
            imsave("walk-%02d.png" % index, frame)


if __name__ == "__main__":
    tf.app.run()
