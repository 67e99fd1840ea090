import tensorflow as tf


def conv(x, filters, size, name, activation=None):
    return tf.layers.conv2d(x, filters, size, padding="same", activation=activation, name=name)


def residual_block(x, name):
    with tf.variable_scope(name):
        y = conv(x, 64, 3, "a", tf.nn.relu)
        y = conv(y, 64, 3, "b")
        return x + 0.1 * y


def edsr(low, blocks=16, scale=2):
    with tf.variable_scope("edsr", reuse=tf.AUTO_REUSE):
        head = x = conv(low, 64, 3, "head")
        for i in range(blocks):
            x = residual_block(x, "block%d" % i)
        x = head + conv(x, 64, 3, "tail")
        x = tf.depth_to_space(conv(x, 64 * scale**2, 3, "up"), scale)
        return conv(x, 3, 3, "out")
