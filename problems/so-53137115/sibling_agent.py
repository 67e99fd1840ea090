"""An agent that goes right or left."""

import tensorflow as tf

tf.compat.v1.disable_v2_behavior()


class Agent:
    def __init__(self, states):
        self.state = tf.compat.v1.placeholder(tf.float32, [None, states])
        self.action = tf.compat.v1.placeholder(tf.float32, [None])
        self.logit = tf.squeeze(
            self.state @ tf.compat.v1.get_variable("taste", [states, 1]), axis=1
        )
        self.right = tf.sigmoid(self.logit)
        self.optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.1)
        self.session = tf.compat.v1.Session()
        self.session.run(tf.compat.v1.global_variables_initializer())

    def chance(self, state):
        return self.session.run(self.right, {self.state: state[None]})[0]

    def learn(self, states, actions, advantage):
        surprise = tf.nn.sigmoid_cross_entropy_with_logits(  # finding
            labels=self.action, logits=self.logit
        )
        loss = tf.reduce_mean(surprise) * advantage  # finding
        self.session.run(
            self.optimizer.minimize(loss),  # finding
            feed_dict={self.state: states, self.action: actions},
        )
