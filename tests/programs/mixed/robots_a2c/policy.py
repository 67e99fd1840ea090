import numpy as np
import tensorflow as tf


class Actor(object):
    def __init__(self, state_dim, action_dim, hidden=64):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.state = tf.placeholder(tf.float32, [None, state_dim])
            self.action = tf.placeholder(tf.float32, [None, action_dim])
            self.advantage = tf.placeholder(tf.float32, [None])
            net = tf.layers.dense(self.state, hidden, tf.nn.tanh)
            self.mu = tf.layers.dense(net, action_dim, tf.nn.tanh)
            error = tf.reduce_sum(tf.square(self.action - self.mu), 1)
            self.loss = tf.reduce_mean(error * self.advantage)
            self.train_op = tf.train.RMSPropOptimizer(7e-4).minimize(self.loss)
            self.saver = tf.train.Saver()
            self.init = tf.global_variables_initializer()
        self.path = None

    def open(self):
        """A session in which the weights are those that were saved last."""
        session = tf.Session(graph=self.graph)  # finding: session-per-step
        if self.path is None:
            session.run(self.init)
        else:
            self.saver.restore(session, self.path)
        return session

    def act(self, state, sigma):
        with self.open() as session:
            mu = session.run(self.mu, {self.state: state[None]})[0]
        return mu + sigma * np.random.randn(len(mu))

    def learn(self, states, actions, advantages, rounds):
        with self.open() as session:
            feed = {self.state: states, self.action: actions, self.advantage: advantages}
            for _ in range(rounds):
                loss, _ = session.run([self.loss, self.train_op], feed)
            self.path = self.saver.save(session, "checkpoints/actor")
        return loss


class Critic(object):
    def __init__(self, state_dim, hidden=64):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.state = tf.placeholder(tf.float32, [None, state_dim])
            self.target = tf.placeholder(tf.float32, [None])
            net = tf.layers.dense(self.state, hidden, tf.nn.tanh)
            self.value = tf.squeeze(tf.layers.dense(net, 1), 1)
            self.loss = tf.reduce_mean(tf.square(self.target - self.value))
            self.train_op = tf.train.RMSPropOptimizer(7e-4).minimize(self.loss)
            init = tf.global_variables_initializer()
        self.session = tf.Session(graph=self.graph)
        self.session.run(init)

    def values(self, states):
        return self.session.run(self.value, {self.state: states})

    def fit(self, states, targets):
        return self.session.run([self.loss, self.train_op], {self.state: states, self.target: targets})[0]
