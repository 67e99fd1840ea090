from __future__ import absolute_import, division, print_function

import tensorflow as tf
from datasets import flowers

slim = tf.contrib.slim

tf.app.flags.DEFINE_string("train_dir", "/tmp/tfmodel/", "Where checkpoints and logs are written.")
tf.app.flags.DEFINE_string("dataset_dir", None, "Where the dataset files are.")
tf.app.flags.DEFINE_integer("batch_size", 32, "The number of samples in each batch.")
tf.app.flags.DEFINE_integer("image_size", 192, "Size of the images.")
tf.app.flags.DEFINE_integer("num_preprocessing_threads", 4, "Threads that make batches.")
tf.app.flags.DEFINE_float("learning_rate", 0.01, "Initial learning rate.")
tf.app.flags.DEFINE_integer("max_number_of_steps", 20000, "The maximum number of steps.")

FLAGS = tf.app.flags.FLAGS


def network(images, is_training):
    with slim.arg_scope([slim.conv2d], normalizer_fn=slim.batch_norm):
        net = slim.conv2d(images, 32, [3, 3], stride=2)
        for depth in (64, 128, 256):
            net = slim.conv2d(net, depth, [3, 3], stride=2)
        net = tf.reduce_mean(net, [1, 2])
        net = slim.dropout(net, 0.8, is_training=is_training)
        return slim.fully_connected(net, 5, activation_fn=None)


def main(_):
    if not FLAGS.dataset_dir:
        raise ValueError("You must supply the dataset directory with --dataset_dir")
    tf.logging.set_verbosity(tf.logging.INFO)
    with tf.Graph().as_default():
        images, labels = flowers.get_split(
            "train",
            FLAGS.dataset_dir,
            FLAGS.batch_size,
            FLAGS.image_size,
            num_threads=FLAGS.num_preprocessing_threads,
        )
        logits = network(images, is_training=True)
        tf.losses.softmax_cross_entropy(labels, logits)
        total_loss = tf.losses.get_total_loss()
        tf.summary.scalar("loss", total_loss)
        optimizer = tf.train.MomentumOptimizer(FLAGS.learning_rate, 0.9)
        train_op = slim.learning.create_train_op(total_loss, optimizer)
        slim.learning.train(train_op, FLAGS.train_dir, number_of_steps=FLAGS.max_number_of_steps)

        held_images, held_labels = flowers.get_split(
            "validation", FLAGS.dataset_dir, FLAGS.batch_size, FLAGS.image_size
        )
        with tf.variable_scope(tf.get_variable_scope(), reuse=True):
            held_logits = network(held_images, is_training=False)
        accuracy, update = tf.metrics.accuracy(tf.argmax(held_labels, 1), tf.argmax(held_logits, 1))
        with tf.Session() as sess:
            sess.run([tf.local_variables_initializer()])
            tf.train.Saver().restore(sess, tf.train.latest_checkpoint(FLAGS.train_dir))
            for _ in range(flowers.SPLITS_TO_SIZES["validation"] // FLAGS.batch_size):
                sess.run(update)
            print("accuracy", sess.run(accuracy), "of", flowers.label_names(FLAGS.dataset_dir))


if __name__ == "__main__":
    tf.app.run()
