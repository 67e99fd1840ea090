# requires: tensorflow==1.14.*
"""Double DQN for LunarLander."""
import collections
import random

import gym
import numpy as np
import tensorflow as tf

GAMMA, TAU, BATCH = 0.99, 0.005, 64
Step = collections.namedtuple("Step", "s a r s2 done")


def q_network(s, n_actions, scope):
    with tf.variable_scope(scope):
        h = tf.layers.dense(s, 128, tf.nn.relu)
        h = tf.layers.dense(h, 128, tf.nn.relu)
        return tf.layers.dense(h, n_actions)


class Agent:
    def __init__(self, n_state, n_actions, lr=5e-4):
        self.n_actions = n_actions
        self.memory = collections.deque(maxlen=100000)
        self.s = tf.placeholder(tf.float32, [None, n_state])
        self.a = tf.placeholder(tf.int32, [None])
        self.target = tf.placeholder(tf.float32, [None])
        self.q = q_network(self.s, n_actions, "online")
        self.q_target = q_network(self.s, n_actions, "target")
        chosen = tf.reduce_sum(self.q * tf.one_hot(self.a, n_actions), 1)
        self.loss = tf.reduce_mean(tf.squared_difference(self.target, chosen))
        self.train_op = tf.train.AdamOptimizer(lr).minimize(self.loss)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def act(self, state, eps):
        if random.random() < eps:
            return random.randrange(self.n_actions)
        return int(np.argmax(self.sess.run(self.q, {self.s: state[None]})[0]))

    def soft_update(self):
        online = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="online")
        target = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="target")
        for o, t in zip(online, target):
            self.sess.run(t.assign(TAU * o + (1 - TAU) * t))  # finding: graph-growth

    def learn(self):
        if len(self.memory) < 1000:
            return None
        batch = Step(*map(np.array, zip(*random.sample(self.memory, BATCH))))
        best = self.sess.run(self.q, {self.s: batch.s2}).argmax(1)
        value = self.sess.run(self.q_target, {self.s: batch.s2})[np.arange(BATCH), best]
        target = batch.r + GAMMA * value * (1 - batch.done)
        loss, _ = self.sess.run([self.loss, self.train_op], {self.s: batch.s, self.a: batch.a, self.target: target})
        self.soft_update()
        return loss


def main():
    env = gym.make("LunarLander-v2")
    agent = Agent(env.observation_space.shape[0], env.action_space.n)
    eps, scores = 1.0, collections.deque(maxlen=100)
    for episode in range(2000):
        s, total, done = env.reset(), 0.0, False
        while not done:
            a = agent.act(s, eps)
            s2, r, done, _ = env.step(a)
            agent.memory.append(Step(s, a, r, s2, float(done)))
            agent.learn()
            s, total = s2, total + r
        eps = max(0.02, eps * 0.995)
        scores.append(total)
        if episode % 20 == 0:
            print(episode, np.mean(scores), eps)
        if np.mean(scores) > 200:
            break


if __name__ == "__main__":
    main()
