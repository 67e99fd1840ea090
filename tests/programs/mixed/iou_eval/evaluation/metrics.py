import numpy as np
import tensorflow as tf


def _run(tensor):
    with tf.Session() as sess:  # finding: session-per-step
        return sess.run(tensor)


def iou(mask, truth):
    both = tf.logical_and(mask, truth)  # finding: graph-growth
    either = tf.logical_or(mask, truth)  # finding: graph-growth
    return _run(tf.count_nonzero(both) / tf.count_nonzero(either))  # finding: graph-growth


def dice(mask, truth):
    both = np.logical_and(mask, truth).sum()
    return 2.0 * both / (mask.sum() + truth.sum())


def psnr(images, others):
    graph = tf.Graph()
    with graph.as_default():
        a = tf.placeholder(tf.float32, [None, None, 3])
        b = tf.placeholder(tf.float32, [None, None, 3])
        value = tf.image.psnr(a, b, 255.0)
        with tf.Session(graph=graph) as sess:
            return [sess.run(value, {a: x, b: y}) for x, y in zip(images, others)]
