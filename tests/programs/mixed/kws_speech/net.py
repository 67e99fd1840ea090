import tensorflow as tf


def res_block(x, ch, training, name):
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        y = tf.layers.conv2d(x, ch, 3, padding="same", use_bias=False, name="a")
        y = tf.nn.relu(tf.layers.batch_normalization(y, training=training, name="bn"))
        y = tf.layers.conv2d(y, ch, 3, padding="same", name="b")
        return x + y


def logits(feat, training, n_out=10):
    x = tf.layers.conv2d(feat[..., None], 45, 3, padding="same", name="stem", reuse=tf.AUTO_REUSE)
    for i in range(6):
        x = res_block(x, 45, training, "res%d" % i)
    x = tf.reduce_mean(x, [1, 2])
    return tf.layers.dense(x, n_out, name="head", reuse=tf.AUTO_REUSE)
