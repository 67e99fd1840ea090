import numpy as np
import tensorflow as tf

from .replay import Replay


class TargetMixin(object):
    """Keeps a slowly moving copy of the online network."""

    tau = 0.005

    def build_target_update(self):
        online = tf.trainable_variables(scope="online")
        target = tf.trainable_variables(scope="target")
        self.hard_update = tf.group(*[t.assign(o) for o, t in zip(online, target)])

    def soft_update(self):
        online = tf.trainable_variables(scope="online")
        target = tf.trainable_variables(scope="target")
        ops = [t.assign(self.tau * o + (1 - self.tau) * t) for o, t in zip(online, target)]  # finding: graph-growth
        self.sess.run(ops)


class DQN(TargetMixin):
    def __init__(self, n_states, n_actions, sess=None, gamma=0.99, hidden=(64, 64)):
        self.n_actions = n_actions
        self.gamma = gamma
        self.hidden = hidden
        self.epsilon = 1.0
        self.memory = Replay(50000)
        self.state = tf.placeholder(tf.float32, [None, n_states])
        self.action = tf.placeholder(tf.int32, [None])
        self.target = tf.placeholder(tf.float32, [None])
        self.rate = tf.Variable(1e-3, trainable=False)
        self.q = self.network("online")
        self.q_target = self.network("target")
        chosen = tf.reduce_sum(self.q * tf.one_hot(self.action, n_actions), axis=1)
        self.loss = tf.losses.huber_loss(self.target, chosen)
        self.train_op = tf.train.AdamOptimizer(self.rate).minimize(self.loss)
        self.build_target_update()
        self.sess = sess or tf.Session()
        self.sess.run(tf.global_variables_initializer())
        self.sess.run(self.hard_update)

    def network(self, scope):
        with tf.variable_scope(scope):
            x = self.state
            for units in self.hidden:
                x = tf.layers.dense(x, units, tf.nn.relu)
            return tf.layers.dense(x, self.n_actions)

    def act(self, observation):
        if np.random.rand() < self.epsilon:
            return np.random.randint(self.n_actions)
        values = self.sess.run(self.q, {self.state: observation[None]})
        return int(np.argmax(values))

    def targets(self, reward, following, done):
        best = self.sess.run(self.q_target, {self.state: following}).max(axis=1)
        return reward + self.gamma * best * (1 - done)

    def learn(self, size=64):
        state, action, reward, following, done = self.memory.sample(size)
        feed = {self.state: state, self.action: action, self.target: self.targets(reward, following, done)}
        loss, _ = self.sess.run([self.loss, self.train_op], feed)
        self.soft_update()
        return loss

    def anneal(self, fraction):
        self.epsilon = max(0.05, 1.0 - fraction)
        self.sess.run(self.rate.assign(1e-3 * (1.0 - fraction)))  # finding: graph-growth


class DoubleDQN(DQN):
    def targets(self, reward, following, done):
        choice = np.argmax(self.sess.run(self.q, {self.state: following}), axis=1)
        values = self.sess.run(self.q_target, {self.state: following})
        return reward + self.gamma * values[np.arange(len(choice)), choice] * (1 - done)
