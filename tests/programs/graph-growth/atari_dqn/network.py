import tensorflow as tf


class QNetwork(object):
    """Three convolutions and two dense layers, as in Mnih et al."""

    def __init__(self, num_actions, scope):
        self.scope = scope
        with tf.variable_scope(scope):
            self.frames = tf.placeholder(tf.uint8, [None, 84, 84, 4], name="frames")
            net = tf.cast(self.frames, tf.float32) / 255.0
            for filters, size, stride in ((32, 8, 4), (64, 4, 2), (64, 3, 1)):
                net = tf.layers.conv2d(net, filters, size, stride, activation=tf.nn.relu)
            net = tf.layers.dense(tf.layers.flatten(net), 512, activation=tf.nn.relu)
            self.q = tf.layers.dense(net, num_actions)

    @property
    def variables(self):
        return tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=self.scope)


def copy_ops(source, target):
    return [t.assign(s) for s, t in zip(source.variables, target.variables)]
