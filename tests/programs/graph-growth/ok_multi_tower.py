# requires: tensorflow-gpu==1.12.*
"""ResNet on several GPUs, as in the CIFAR-10 tutorial: a tower for each, gradients averaged."""

import os
import time

import numpy as np
import tensorflow as tf

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_integer("num_gpus", 4, "towers")
tf.app.flags.DEFINE_integer("batch_size", 128, "pictures of a tower")
tf.app.flags.DEFINE_integer("max_steps", 100000, "")
tf.app.flags.DEFINE_string("data", "/data/imagenet/train-*", "")
tf.app.flags.DEFINE_string("logs", "/tmp/resnet", "")


def parse(record):
    features = tf.parse_single_example(
        record,
        {
            "image/encoded": tf.FixedLenFeature([], tf.string),
            "image/class/label": tf.FixedLenFeature([], tf.int64),
        },
    )
    image = tf.image.decode_jpeg(features["image/encoded"], channels=3)
    image = tf.image.resize_images(image, [224, 224]) / 127.5 - 1.0
    return image, tf.cast(features["image/class/label"], tf.int32) - 1


def inputs():
    files = tf.data.Dataset.list_files(FLAGS.data)
    records = files.apply(tf.contrib.data.parallel_interleave(tf.data.TFRecordDataset, 8))
    records = records.shuffle(10000).repeat()
    examples = records.apply(
        tf.contrib.data.map_and_batch(parse, FLAGS.batch_size, num_parallel_batches=4)
    )
    return examples.prefetch(FLAGS.num_gpus).make_one_shot_iterator()


def tower_loss(images, labels):
    logits = tf.contrib.slim.nets.resnet_v2.resnet_v2_50(images, 1000)[0]
    logits = tf.squeeze(logits, [1, 2])
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    return loss + tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))


def average(tower_grads):
    averaged = []
    for pairs in zip(*tower_grads):
        grads = [tf.expand_dims(grad, 0) for grad, _ in pairs]
        averaged.append((tf.reduce_mean(tf.concat(grads, 0), 0), pairs[0][1]))
    return averaged


class Rate(object):
    """The learning rate; `drop` divides it, by an op that exists from the start."""

    def __init__(self, start):
        self.value = tf.get_variable("rate", initializer=start, trainable=False)
        self.factor = tf.placeholder(tf.float32, [])
        self._scale = tf.assign(self.value, self.value * self.factor)

    def drop(self, sess, by):
        return sess.run(self._scale, {self.factor: 1.0 / by})


def train():
    with tf.Graph().as_default(), tf.device("/cpu:0"):
        step_tensor = tf.train.get_or_create_global_step()
        rate = Rate(0.1)
        optimizer = tf.train.MomentumOptimizer(rate.value, 0.9)
        iterator = inputs()
        tower_grads, losses = [], []
        with tf.variable_scope(tf.get_variable_scope()):
            for i in range(FLAGS.num_gpus):
                with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
                    loss = tower_loss(*iterator.get_next())
                    tf.get_variable_scope().reuse_variables()
                    tower_grads.append(optimizer.compute_gradients(loss))
                    losses.append(loss)
        total = tf.reduce_mean(losses)
        train_op = optimizer.apply_gradients(average(tower_grads), global_step=step_tensor)
        for _, variable in average(tower_grads):
            tf.summary.histogram(variable.op.name, variable)
        summaries = tf.summary.merge_all()
        saver = tf.train.Saver(max_to_keep=3)
        initializer = tf.global_variables_initializer()

        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            sess.run(initializer)
            writer = tf.summary.FileWriter(FLAGS.logs, sess.graph)
            sess.graph.finalize()
            for step in range(FLAGS.max_steps):
                started = time.time()
                _, loss = sess.run([train_op, total])
                assert not np.isnan(loss), "diverged"
                if step % 10 == 0:
                    speed = FLAGS.batch_size * FLAGS.num_gpus / (time.time() - started)
                    tf.logging.info("step %d: loss %.2f, %.1f pictures/s", step, loss, speed)
                if step % 100 == 0:
                    writer.add_summary(sess.run(summaries), step)
                if step in (30000, 60000, 80000):
                    tf.logging.info("rate is %g now", rate.drop(sess, by=10))
                if step % 1000 == 0:
                    saver.save(sess, os.path.join(FLAGS.logs, "model"), global_step=step)


def main(_):
    tf.gfile.MakeDirs(FLAGS.logs)
    train()


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.INFO)
    tf.app.run()
