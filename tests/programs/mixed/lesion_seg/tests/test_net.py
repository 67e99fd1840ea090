# requires: tensorflow==1.15
import numpy as np
import pytest
import tensorflow as tf

from ..net import dice


@pytest.mark.parametrize("n", [4, 64, 256])
def test_dice_of_itself_is_one(n):
    with tf.Graph().as_default(), tf.Session() as sess:
        y = tf.constant(np.eye(n, dtype=np.float32))
        assert abs(sess.run(dice(y, y)) - 1.0) < 1e-5


def test_dice_falls():
    last = 2.0
    for k in range(20):
        with tf.Session(graph=tf.Graph()) as sess:
            y = tf.ones([32])
            p = tf.concat([tf.ones([32 - k]), tf.zeros([k])], 0)
            now = sess.run(dice(y, p))
        assert now < last
        last = now
