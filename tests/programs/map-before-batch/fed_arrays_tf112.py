# requires: tensorflow==1.12.*
"""CNN on SVHN crops; arrays are fed once into an initializable iterator."""

import numpy as np
import scipy.io
import tensorflow as tf


def load(name):
    mat = scipy.io.loadmat(name)
    return np.transpose(mat["X"], (3, 0, 1, 2)), (mat["y"].squeeze() % 10).astype(np.int64)


def preprocess(image, label):
    image = tf.cast(image, tf.float32)
    image = tf.subtract(tf.divide(image, 127.5), 1.0)
    return image, tf.one_hot(label, depth=10)


def conv_net(x, training):
    for filters in (32, 64, 128):
        x = tf.layers.conv2d(x, filters, 3, padding="same", activation=tf.nn.relu)
        x = tf.layers.max_pooling2d(x, 2, 2)
    x = tf.layers.dropout(tf.layers.flatten(x), 0.4, training=training)
    return tf.layers.dense(x, 10)


def main():
    images, labels = load("train_32x32.mat")
    test_images, test_labels = load("test_32x32.mat")
    x_in = tf.placeholder(images.dtype, [None, 32, 32, 3])
    y_in = tf.placeholder(labels.dtype, [None])
    training = tf.placeholder_with_default(False, [])

    source = tf.data.Dataset.from_tensor_slices((x_in, y_in))
    train_set = (
        source.shuffle(10000)
        .map(preprocess, num_parallel_calls=4)  # finding: map-before-batch
        .batch(128)
        .prefetch(1)
    )
    test_set = source.batch(500).map(preprocess, num_parallel_calls=4).prefetch(1)
    iterator = tf.data.Iterator.from_structure(train_set.output_types, train_set.output_shapes)
    x, y = iterator.get_next()
    logits = conv_net(x, training)
    loss = tf.losses.softmax_cross_entropy(y, logits)
    train_op = tf.train.AdamOptimizer().minimize(loss)
    hits = tf.reduce_sum(tf.to_float(tf.equal(tf.argmax(y, 1), tf.argmax(logits, 1))))
    start_train, start_test = iterator.make_initializer(train_set), iterator.make_initializer(test_set)

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(15):
            sess.run(start_train, {x_in: images, y_in: labels})
            try:
                while True:
                    sess.run(train_op, {training: True})
            except tf.errors.OutOfRangeError:
                pass
            sess.run(start_test, {x_in: test_images, y_in: test_labels})
            total = 0.0
            try:
                while True:
                    total += sess.run(hits)
            except tf.errors.OutOfRangeError:
                print(epoch, total / len(test_labels))


if __name__ == "__main__":
    main()
