# requires: tensorflow==1.14.0
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 784])
y = tf.placeholder(tf.float32, [None, 10])
logits = tf.layers.dense(x, 10)
loss = tf.losses.softmax_cross_entropy(y, logits)
train_step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)


def batches(images, labels, size):
    for start in range(0, len(images), size):
        yield images[start : start + size], labels[start : start + size]


def main():
    images = np.load("images.npy")
    labels = np.load("labels.npy")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(100):
            for batch_x, batch_y in batches(images, labels, 100):
                hot = sess.run(tf.one_hot(batch_y, 10))  # finding: graph-growth
                sess.run(train_step, feed_dict={x: batch_x, y: hot})
            print("epoch", epoch)


if __name__ == "__main__":
    main()
