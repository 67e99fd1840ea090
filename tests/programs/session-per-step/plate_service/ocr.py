# -*- coding: utf-8 -*-
import cv2
import numpy as np
import tensorflow as tf

import settings


class Reader(object):
    """CRNN; one session for the life of the process."""

    def __init__(self):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = tf.placeholder(tf.float32, [None, 32, 128, 1])
            h = tf.layers.conv2d(self.x, 32, 3, padding='same', activation=tf.nn.relu)
            h = tf.layers.max_pooling2d(h, 2, 2)
            h = tf.layers.conv2d(h, 64, 3, padding='same', activation=tf.nn.relu)
            h = tf.layers.max_pooling2d(h, 2, 2)
            h = tf.reshape(tf.transpose(h, [0, 2, 1, 3]), [-1, 32, 8 * 64])
            cell = tf.contrib.rnn.LSTMCell(128)
            h, _ = tf.nn.dynamic_rnn(cell, h, dtype=tf.float32)
            logits = tf.layers.dense(h, len(settings.CHARSET) + 1)
            steps = tf.fill([tf.shape(self.x)[0]], 32)
            decoded, _ = tf.nn.ctc_greedy_decoder(tf.transpose(logits, [1, 0, 2]), steps)
            self.text = tf.sparse_tensor_to_dense(decoded[0], default_value=-1)
            saver = tf.train.Saver()
        self.sess = tf.Session(graph=self.graph)
        saver.restore(self.sess, tf.train.latest_checkpoint(settings.OCR_CKPT))

    def read(self, crops):
        batch = [cv2.resize(cv2.cvtColor(c, cv2.COLOR_BGR2GRAY), (128, 32)) for c in crops]
        batch = np.asarray(batch, np.float32)[..., None] / 255.
        codes = self.sess.run(self.text, {self.x: batch})
        return [''.join(settings.CHARSET[c] for c in row if c >= 0) for row in codes]
