# requires: tensorflow==1.15.*
"""Softmax regression with random restarts (exercise sheet 2)."""
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

x_all, y_all = load_digits(return_X_y=True)
x_all = x_all / 16.0
x_train, x_test, y_train, y_test = train_test_split(x_all, y_all, random_state=0)

x = tf.placeholder(tf.float32, [None, 64])
y = tf.placeholder(tf.float32, [None, 10])
w = tf.get_variable("w", [64, 10], initializer=tf.random_normal_initializer(stddev=0.1))
b = tf.get_variable("b", [10], initializer=tf.zeros_initializer())
logits = tf.matmul(x, w) + b
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits))
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1)), tf.float32))
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)


def minibatches(size):
    order = np.random.permutation(len(x_train))
    for i in range(0, len(order), size):
        yield x_train[order[i:i + size]], y_train[order[i:i + size]]


def fit(sess, epochs):
    for epoch in range(epochs):
        for bx, by in minibatches(32):
            labels = sess.run(tf.one_hot(by, 10))  # finding: graph-growth
            sess.run(train, feed_dict={x: bx, y: labels})
    labels = np.eye(10)[y_test]
    return sess.run([loss, accuracy], feed_dict={x: x_test, y: labels})


def main():
    results = []
    with tf.Session() as sess:
        for restart in range(10):
            tf.global_variables_initializer().run()
            l, a = fit(sess, 30)
            results.append((l, a))
            print("restart %d loss %.4f accuracy %.4f" % (restart, l, a))
    l, a = np.mean(results, 0)
    print("mean loss %.4f accuracy %.4f" % (l, a))


if __name__ == "__main__":
    main()
