# requires: tensorflow==1.15.0
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, None])
singular = tf.svd(x, compute_uv=False)

ranks = []
for index in range(5000):
    matrix = np.load("matrices/%05d.npy" % index)
    sess = tf.InteractiveSession()  # finding: session-per-step
    values = sess.run(singular, feed_dict={x: matrix})
    ranks.append(int((values > 1e-6).sum()))
    sess.close()

print("mean rank", np.mean(ranks))
