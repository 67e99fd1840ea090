import tensorflow as tf


def focal(logits, labels, gamma):
    p = tf.sigmoid(logits)
    return tf.reduce_mean(-labels * tf.pow(1.0 - p, gamma) * tf.log(p))
