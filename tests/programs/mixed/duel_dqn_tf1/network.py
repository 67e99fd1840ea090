import tensorflow as tf


class QNetwork(object):
    def __init__(self, scope, state_size, action_size, lr=1e-3):
        self.scope = scope
        self.state_size = state_size
        self.action_size = action_size
        with tf.variable_scope(scope):
            self.state = tf.placeholder(tf.float32, [None, state_size], "state")
            self.action = tf.placeholder(tf.int32, [None], "action")
            self.target = tf.placeholder(tf.float32, [None], "target")
            hidden = tf.layers.dense(self.state, 128, tf.nn.relu)
            value = tf.layers.dense(hidden, 1)
            advantage = tf.layers.dense(hidden, action_size)
            self.q = value + advantage - tf.reduce_mean(advantage, 1, keepdims=True)
            chosen = tf.reduce_sum(self.q * tf.one_hot(self.action, action_size), 1)
            self.loss = tf.losses.huber_loss(self.target, chosen)
            self.train_op = tf.train.AdamOptimizer(lr).minimize(self.loss)

    @property
    def variables(self):
        return tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=self.scope)

    def best(self):
        return tf.argmax(self.q, axis=1)
