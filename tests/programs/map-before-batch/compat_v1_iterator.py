# requires: tensorflow==2.5.0
from __future__ import print_function

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


def to_db(spec):
    return 20.0 * tf.log(tf.maximum(spec, 1e-5)) / 2.302585


def next_batch(spectra, batch_size):
    data = tf.data.Dataset.from_tensor_slices(spectra)
    data = data.map(to_db, num_parallel_calls=4)  # finding: map-before-batch
    data = data.repeat()
    data = data.batch(batch_size)
    return tf.data.make_one_shot_iterator(data).get_next()


spectra = np.load("spectra.npy").astype(np.float32)
batch = next_batch(spectra, 32)
code = tf.layers.dense(batch, 16, tf.nn.relu)
restored = tf.layers.dense(code, spectra.shape[1])
loss = tf.losses.mean_squared_error(batch, restored)
train_op = tf.train.AdamOptimizer(1e-3).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(20000):
        _, value = sess.run([train_op, loss])
        if step % 500 == 0:
            print(step, value)
