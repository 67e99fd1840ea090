"""A swarm whose positions are variables of a graph."""

import tensorflow as tf

tf1 = tf.compat.v1


class Swarm:
    def __init__(self, groups, members):
        tf1.disable_eager_execution()
        self.groups = groups
        self.places = {
            name: tf1.Variable(tf.zeros((members, 2)), trainable=False, name=name)
            for name in groups
        }
        everyone = tf.concat(list(self.places.values()), axis=0)
        self._spread = tf.reduce_mean(tf.math.reduce_std(everyone, axis=0))
        self.session = tf1.Session()
        self.session.run(tf1.global_variables_initializer())

    def place(self, positions):
        for name, position in positions.items():
            self.places[name].load(position, session=self.session)  # finding

    def spread(self):
        return self.session.run(self._spread)
