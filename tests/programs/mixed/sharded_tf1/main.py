from __future__ import print_function

import sys

import tensorflow as tf

from reader import Reader


def model_fn(features, labels, mode):
    net = tf.layers.conv2d(features, 32, 3, strides=2, activation=tf.nn.relu)
    net = tf.reduce_mean(net, [1, 2])
    logits = tf.layers.dense(net, 1000)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    step = tf.train.get_or_create_global_step()
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


def extract(reader, names, out):
    images = reader.legacy(names).make_one_shot_iterator().get_next()
    pooled = tf.reduce_mean(images, [1, 2])
    with tf.Session() as sess:
        while True:
            try:
                out.append(sess.run(pooled))
            except tf.errors.OutOfRangeError:
                return out


def main(folder):
    estimator = tf.estimator.Estimator(model_fn, "/tmp/run")
    estimator.train(Reader(folder, True, 128), steps=100000)
    print(estimator.evaluate(Reader(folder, False, 128).simple, steps=390))
    print(estimator.evaluate(Reader(folder, False, 128).tuned, steps=390))
    print(len(extract(Reader(folder, False, 128), sys.argv[2:], [])))


if __name__ == "__main__":
    main(sys.argv[1])
