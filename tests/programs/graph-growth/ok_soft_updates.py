"""Dueling Q-learning for a warehouse robot, TensorFlow 1.x: every op is made in the constructor."""

import collections
import random

import numpy as np
import tensorflow as tf

Step = collections.namedtuple("Step", "state action reward after done")


class Network(object):
    def __init__(self, name, n_inputs, n_actions):
        self.inputs = tf.placeholder(tf.float32, [None, n_inputs])
        with tf.variable_scope(name) as scope:
            hidden = tf.layers.dense(self.inputs, 128, tf.nn.relu)
            value = tf.layers.dense(hidden, 1)
            advantage = tf.layers.dense(hidden, n_actions)
            mean = tf.reduce_mean(advantage, axis=1, keepdims=True)
            self.q = value + advantage - mean
            self.best = tf.argmax(self.q, axis=1)
        self.variables = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope.name)


class Agent(object):
    def __init__(self, sess, n_inputs, n_actions, tau=0.005):
        self.sess = sess
        self.online = Network("online", n_inputs, n_actions)
        self.target = Network("target", n_inputs, n_actions)
        self.actions = tf.placeholder(tf.int32, [None])
        self.wanted = tf.placeholder(tf.float32, [None])
        chosen = tf.reduce_sum(self.online.q * tf.one_hot(self.actions, n_actions), axis=1)
        self.loss = tf.losses.huber_loss(self.wanted, chosen)
        self.train = tf.train.AdamOptimizer(1e-4).minimize(
            self.loss, var_list=self.online.variables
        )
        pairs = list(zip(self.target.variables, self.online.variables))
        self.follow = tf.group(*[slow.assign(tau * fast + (1 - tau) * slow) for slow, fast in pairs])
        self.copy = tf.group(*[slow.assign(fast) for slow, fast in pairs])
        self.score = tf.placeholder(tf.float32, [])
        self.summary = tf.summary.scalar("score", self.score)

    def act(self, state, epsilon):
        if random.random() < epsilon:
            return random.randrange(self.online.q.shape[1].value)
        return int(self.sess.run(self.online.best, {self.online.inputs: [state]})[0])

    def learn(self, steps, gamma=0.99):
        batch = Step(*map(np.array, zip(*steps)))
        best = self.sess.run(self.online.best, {self.online.inputs: batch.after})
        q = self.sess.run(self.target.q, {self.target.inputs: batch.after})
        wanted = batch.reward + gamma * (1 - batch.done) * q[np.arange(len(best)), best]
        feed = {
            self.online.inputs: batch.state,
            self.actions: batch.action,
            self.wanted: wanted,
        }
        loss, _ = self.sess.run([self.loss, self.train], feed)
        self.sess.run(self.follow)
        return loss


def train(env, episodes=5000):
    memory = collections.deque(maxlen=100000)
    with tf.Graph().as_default(), tf.Session() as sess:
        agent = Agent(sess, env.n_inputs, env.n_actions)
        writer = tf.summary.FileWriter("logs", sess.graph)
        sess.run(tf.global_variables_initializer())
        sess.run(agent.copy)
        tf.get_default_graph().finalize()
        for episode in range(episodes):
            state, total, done = env.reset(), 0.0, False
            while not done:
                action = agent.act(state, epsilon=max(0.05, 1 - episode / 1000.0))
                after, reward, done = env.step(action)
                memory.append(Step(state, action, reward, after, done))
                state, total = after, total + reward
                if len(memory) > 1000:
                    agent.learn(random.sample(memory, 64))
            writer.add_summary(sess.run(agent.summary, {agent.score: total}), episode)
