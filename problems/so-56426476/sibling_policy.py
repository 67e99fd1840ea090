"""A linear policy over a few actions."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class Policy:
    def __init__(self, inputs, actions):
        self.observation = tf.placeholder(tf.float32, (None, inputs))
        weights = tf.get_variable("policy", (inputs, actions))
        self.logits = tf.matmul(self.observation, weights)
        self.session = tf.InteractiveSession()
        self.session.run(tf.global_variables_initializer())

    def entropy(self, observation):
        chances = tf.nn.softmax(self.logits)  # finding
        entropy = -tf.reduce_sum(chances * tf.log(chances), axis=1)  # finding
        return entropy.eval({self.observation: observation})[0]
