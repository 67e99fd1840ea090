import sys

import tensorflow.compat.v1 as tf

from readers import SpeechReader

tf.disable_eager_execution()


def network(features, classes):
    net = tf.layers.conv1d(features, 64, 5, activation=tf.nn.relu)
    net = tf.reduce_mean(net, axis=1)
    return tf.layers.dense(net, classes)


def train(paths, labels, classes, steps):
    reader = SpeechReader(paths, labels, 32)
    iterator = tf.data.make_initializable_iterator(reader.training())
    features, targets = iterator.get_next()
    logits = network(features, classes)
    loss = tf.losses.sparse_softmax_cross_entropy(targets, logits)
    train_op = tf.train.AdamOptimizer(1e-3).minimize(loss)
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), targets), tf.float32))
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), iterator.initializer])
        for step in range(steps):
            _, value = sess.run([train_op, loss])
            if step % 100 == 0:
                print(step, value, sess.run(accuracy))


def confusion(paths, labels, classes):
    reader = SpeechReader(paths, labels, 32)
    features, targets = tf.data.make_one_shot_iterator(reader.testing()).get_next()
    logits = network(features, classes)
    matrix = None
    with tf.Session() as sess:
        while True:
            try:
                part = sess.run(tf.math.confusion_matrix(targets, tf.argmax(logits, 1), classes))  # finding: graph-growth
            except tf.errors.OutOfRangeError:
                break
            matrix = part if matrix is None else matrix + part
    return matrix


if __name__ == "__main__":
    with open(sys.argv[1]) as listing:
        rows = [line.split() for line in listing]
    train([r[0] for r in rows], [int(r[1]) for r in rows], 12, 20000)
