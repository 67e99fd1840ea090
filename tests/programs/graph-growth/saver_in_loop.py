# requires: tensorflow==1.15.0
import os

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def fit(build, feed_batches, folder, epochs):
    inputs, targets, loss = build()
    train_op = tf.train.AdamOptimizer().minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(epochs):
            for x, y in feed_batches():
                sess.run(train_op, feed_dict={inputs: x, targets: y})
            saver = tf.train.Saver()  # finding: graph-growth
            saver.save(sess, os.path.join(folder, "model"), global_step=epoch)
