# requires: tensorflow==1.4.*
"""Lecture 5: a convolutional net for MNIST."""
import numpy as np
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("MNIST_data", one_hot=True)


def weight(shape):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1))


def bias(shape):
    return tf.Variable(tf.constant(0.1, shape=shape))


x = tf.placeholder(tf.float32, [None, 784])
y_ = tf.placeholder(tf.float32, [None, 10])
keep_prob = tf.placeholder(tf.float32)

image = tf.reshape(x, [-1, 28, 28, 1])
h1 = tf.nn.relu(tf.nn.conv2d(image, weight([5, 5, 1, 32]), [1, 1, 1, 1], "SAME") + bias([32]))
p1 = tf.nn.max_pool(h1, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
h2 = tf.nn.relu(tf.nn.conv2d(p1, weight([5, 5, 32, 64]), [1, 1, 1, 1], "SAME") + bias([64]))
p2 = tf.nn.max_pool(h2, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
flat = tf.reshape(p2, [-1, 7 * 7 * 64])
fc = tf.nn.dropout(tf.nn.relu(tf.matmul(flat, weight([3136, 1024])) + bias([1024])), keep_prob)
logits = tf.matmul(fc, weight([1024, 10])) + bias([10])

cross_entropy = tf.reduce_mean(
    tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=logits))
train_step = tf.train.AdamOptimizer(1e-4).minimize(cross_entropy)
correct = tf.equal(tf.argmax(logits, 1), tf.argmax(y_, 1))
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))

sess = tf.InteractiveSession()
sess.run(tf.global_variables_initializer())

confusion = np.zeros((10, 10), np.int64)
for i in range(20000):
    batch = mnist.train.next_batch(50)
    if i % 100 == 0:
        acc = accuracy.eval(feed_dict={x: batch[0], y_: batch[1], keep_prob: 1.0})
        print("step %d, training accuracy %g" % (i, acc))
    train_step.run(feed_dict={x: batch[0], y_: batch[1], keep_prob: 0.5})

for _ in range(100):
    xs, ys = mnist.test.next_batch(100)
    predicted = sess.run(tf.argmax(logits, 1), feed_dict={x: xs, keep_prob: 1.0})  # finding: graph-growth
    for t, p in zip(ys.argmax(1), predicted):
        confusion[t, p] += 1
print(confusion)

wrong = []
while len(wrong) < 20:
    xs, ys = mnist.test.next_batch(1)
    probs = tf.nn.softmax(logits)  # finding: graph-growth
    out = probs.eval(feed_dict={x: xs, keep_prob: 1.0})
    if out[0].argmax() != ys[0].argmax():
        wrong.append((xs[0], out[0]))
np.save("wrong.npy", np.array([w for w, _ in wrong]))
