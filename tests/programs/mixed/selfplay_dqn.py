# requires: tensorflow==1.14.0
"""Connect-four DQN with self-play against frozen earlier selves."""
import collections
import glob
import random

import numpy as np
import tensorflow as tf

ROWS, COLS = 6, 7
Step = collections.namedtuple("Step", "s a r s2 done")


def qnet(x, scope):
    with tf.variable_scope(scope):
        h = tf.layers.conv2d(x, 64, 4, activation=tf.nn.relu, padding="same")
        h = tf.layers.conv2d(h, 64, 3, activation=tf.nn.relu)
        h = tf.layers.dense(tf.layers.flatten(h), 256, tf.nn.relu)
        return tf.layers.dense(h, COLS)


class FrozenSelf(object):
    """An opponent that plays from a checkpoint."""

    def __init__(self):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = tf.placeholder(tf.float32, [None, ROWS, COLS, 2])
            self.q = qnet(self.x, "online")
            self.saver = tf.train.Saver()
        self.ckpt = None

    def pick(self):
        found = glob.glob("league/*.index")
        self.ckpt = random.choice(found)[:-6] if found else None

    def _values(self, obs):
        with tf.Session(graph=self.graph) as s:  # finding: session-per-step
            self.saver.restore(s, self.ckpt)
            return s.run(self.q, {self.x: obs[None]})[0]

    def __call__(self, board):
        free = board.moves()
        if self.ckpt is None:
            return random.choice(free)
        q = self._values(board.view(-1))
        return max(free, key=lambda c: q[c])


class Board(object):
    def __init__(self):
        self.g = np.zeros((ROWS, COLS), np.int8)

    def moves(self):
        return [c for c in range(COLS) if self.g[0, c] == 0]

    def view(self, who):
        return np.stack([self.g == who, self.g == -who], -1).astype(np.float32)

    def drop(self, c, who):
        r = max(i for i in range(ROWS) if self.g[i, c] == 0)
        self.g[r, c] = who
        for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
            n = 1
            for sgn in (1, -1):
                i, j = r + sgn * dr, c + sgn * dc
                while 0 <= i < ROWS and 0 <= j < COLS and self.g[i, j] == who:
                    n, i, j = n + 1, i + sgn * dr, j + sgn * dc
            if n >= 4:
                return True
        return False


class Learner(object):
    def __init__(self):
        self.s = tf.placeholder(tf.float32, [None, ROWS, COLS, 2])
        self.s2 = tf.placeholder(tf.float32, [None, ROWS, COLS, 2])
        self.a = tf.placeholder(tf.int32, [None])
        self.r = tf.placeholder(tf.float32, [None])
        self.d = tf.placeholder(tf.float32, [None])
        self.q = qnet(self.s, "online")
        nxt = tf.reduce_max(qnet(self.s2, "target"), 1)
        goal = tf.stop_gradient(self.r + 0.99 * (1 - self.d) * nxt)
        got = tf.reduce_sum(self.q * tf.one_hot(self.a, COLS), 1)
        self.loss = tf.losses.huber_loss(goal, got)
        self.train = tf.train.AdamOptimizer(1e-4).minimize(self.loss)
        self.saver = tf.train.Saver(tf.trainable_variables("online"), max_to_keep=50)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())
        self.hooks = [(500, self.sync), (20000, self.enlist)]
        self.t = 0

    def _pairs(self):
        return zip(tf.trainable_variables("target"), tf.trainable_variables("online"))

    def sync(self):
        self.sess.run([t.assign(o) for t, o in self._pairs()])  # finding: graph-growth

    def enlist(self):
        self.saver.save(self.sess, "league/self", global_step=self.t)

    def act(self, board, eps):
        free = board.moves()
        if random.random() < eps:
            return random.choice(free)
        q = self.sess.run(self.q, {self.s: board.view(1)[None]})[0]
        return max(free, key=lambda c: q[c])

    def learn(self, batch):
        cols = [np.asarray(c, np.float32) for c in zip(*batch)]
        self.sess.run(self.train, dict(zip((self.s, self.a, self.r, self.s2, self.d), cols)))
        self.t += 1
        for every, hook in self.hooks:
            if self.t % every == 0:
                hook()


def game(learner, rival, eps):
    board = Board()
    while True:
        s, a = board.view(1), learner.act(board, eps)
        won = board.drop(a, 1)
        lost = False
        if not won and board.moves():
            lost = board.drop(rival(board), -1)
        over = won or lost or not board.moves()
        yield Step(s, a, float(won) - float(lost), board.view(1), float(over))
        if over:
            return


if __name__ == "__main__":
    memory = collections.deque(maxlen=100000)
    me, rival = Learner(), FrozenSelf()
    for episode in range(200000):
        rival.pick()
        for step in game(me, rival, max(0.05, 1 - episode / 20000.0)):
            memory.append(step)
            if len(memory) > 1000:
                me.learn(random.sample(memory, 64))
