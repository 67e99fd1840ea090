# requires: tensorflow==1.12.*
"""Assignment 3: DQN on a gridworld. Fill in nothing, just run: python gridworld_dqn.py --policy dqn"""
import argparse
import collections
import random

import numpy as np
import tensorflow as tf

SIZE = 6
ACTIONS = [(0, 1), (1, 0), (0, -1), (-1, 0)]
Transition = collections.namedtuple('Transition', 's a r s2 done')


class GridWorld(object):
    def __init__(self, seed=0):
        self.rng = np.random.RandomState(seed)
        self.goal = (SIZE - 1, SIZE - 1)
        self.reset()

    def reset(self):
        self.pos = (0, 0)
        self.steps = 0
        return self.observe()

    def observe(self):
        grid = np.zeros((SIZE, SIZE, 2), np.float32)
        grid[self.pos[0], self.pos[1], 0] = 1
        grid[self.goal[0], self.goal[1], 1] = 1
        return grid.reshape(-1)

    def step(self, action):
        dx, dy = ACTIONS[action]
        x = min(max(self.pos[0] + dx, 0), SIZE - 1)
        y = min(max(self.pos[1] + dy, 0), SIZE - 1)
        self.pos = (x, y)
        self.steps += 1
        done = self.pos == self.goal or self.steps >= 50
        reward = 1.0 if self.pos == self.goal else -0.02
        return self.observe(), reward, done


class QNetwork(object):
    def __init__(self, lr, ckpt_path='/tmp/dqn/model.ckpt'):
        self.ckpt_path = ckpt_path
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.states = tf.placeholder(tf.float32, [None, SIZE * SIZE * 2])
            self.actions = tf.placeholder(tf.int32, [None])
            self.targets = tf.placeholder(tf.float32, [None])
            h = tf.layers.dense(self.states, 128, activation=tf.nn.relu)
            h = tf.layers.dense(h, 64, activation=tf.nn.relu)
            self.q = tf.layers.dense(h, len(ACTIONS))
            chosen = tf.reduce_sum(self.q * tf.one_hot(self.actions, len(ACTIONS)), axis=1)
            self.loss = tf.reduce_mean(tf.square(chosen - self.targets))
            self.train_op = tf.train.AdamOptimizer(lr).minimize(self.loss)
            self.saver = tf.train.Saver()
            self.init = tf.global_variables_initializer()
        with tf.Session(graph=self.graph) as sess:
            sess.run(self.init)
            self.saver.save(sess, self.ckpt_path)

    def predict(self, states):
        with tf.Session(graph=self.graph) as sess:  # finding: session-per-step
            self.saver.restore(sess, self.ckpt_path)
            return sess.run(self.q, {self.states: states})

    def update(self, batch, targets):
        sess = tf.Session(graph=self.graph)  # finding: session-per-step
        self.saver.restore(sess, self.ckpt_path)
        _, loss = sess.run(
            [self.train_op, self.loss],
            {self.states: batch.s, self.actions: batch.a, self.targets: targets})
        self.saver.save(sess, self.ckpt_path)
        sess.close()
        return loss


def dqn_policy(state, net, eps):
    if random.random() < eps:
        return random.randrange(len(ACTIONS))
    return int(np.argmax(net.predict(state[None])[0]))


def random_policy(state, net, eps):
    return random.randrange(len(ACTIONS))


POLICIES = {'dqn': dqn_policy, 'random': random_policy}


def learn(net, memory, batch_size, gamma):
    sample = random.sample(memory, batch_size)
    batch = Transition(*[np.array(column) for column in zip(*sample)])
    future = net.predict(batch.s2).max(axis=1)
    targets = batch.r + gamma * future * (1 - batch.done)
    return net.update(batch, targets)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--policy', choices=sorted(POLICIES), default='dqn')
    parser.add_argument('--episodes', type=int, default=500)
    parser.add_argument('--batch_size', type=int, default=32)
    parser.add_argument('--gamma', type=float, default=0.95)
    parser.add_argument('--lr', type=float, default=1e-3)
    args = parser.parse_args()

    policy = POLICIES[args.policy]
    net = QNetwork(args.lr)
    env = GridWorld()
    memory = collections.deque(maxlen=5000)
    eps = 1.0
    for episode in range(args.episodes):
        state, total, done = env.reset(), 0.0, False
        while not done:
            action = policy(state, net, eps)
            next_state, reward, done = env.step(action)
            memory.append(Transition(state, action, reward, next_state, float(done)))
            state = next_state
            total += reward
            if len(memory) > args.batch_size and args.policy == 'dqn':
                learn(net, memory, args.batch_size, args.gamma)
        eps = max(0.05, eps * 0.99)
        if episode % 10 == 0:
            print('episode %d return %.2f eps %.2f' % (episode, total, eps))


if __name__ == '__main__':
    main()
