"""AlphaZero style self-play for 9x9 gomoku.

Old graph-mode code of ours kept alive on TF 2.21 through compat.v1.
"""
import argparse
import math
import os

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
N = 9


class PolicyValue:
    def __init__(self, ckpt_dir, width=64):
        self.ckpt_dir = ckpt_dir
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.board = tf.placeholder(tf.float32, [None, N, N, 3])
            self.pi_t = tf.placeholder(tf.float32, [None, N * N])
            self.v_t = tf.placeholder(tf.float32, [None])
            h = self.board
            for i in range(4):
                k = tf.get_variable(f"k{i}", [3, 3, h.shape[-1], width])
                h = tf.nn.relu(tf.nn.conv2d(h, k, 1, "SAME"))
            flat = tf.reshape(h, [-1, N * N * width])
            self.logits = tf.matmul(flat, tf.get_variable("wp", [N * N * width, N * N]))
            self.probs = tf.nn.softmax(self.logits)
            self.value = tf.tanh(tf.squeeze(tf.matmul(flat, tf.get_variable("wv", [N * N * width, 1])), 1))
            ce = tf.nn.softmax_cross_entropy_with_logits_v2(labels=self.pi_t, logits=self.logits)
            self.loss = tf.reduce_mean(ce + tf.square(self.v_t - self.value))
            self.step = tf.train.MomentumOptimizer(0.01, 0.9).minimize(self.loss)
            self.saver = tf.train.Saver(max_to_keep=3)
            self.init = tf.global_variables_initializer()

    def _restore(self, sess):
        last = tf.train.latest_checkpoint(self.ckpt_dir)
        if last:
            self.saver.restore(sess, last)
        else:
            sess.run(self.init)

    def evaluate(self, planes):
        with tf.Session(graph=self.graph) as sess:  # finding: session-per-step
            self._restore(sess)
            p, v = sess.run([self.probs, self.value], {self.board: planes[None]})
        return p[0], float(v[0])

    def train(self, memory, iteration, epochs=5, batch=256):
        with tf.Session(graph=self.graph) as sess:
            self._restore(sess)
            for _ in range(epochs):
                for idx in np.array_split(np.random.permutation(len(memory)), max(1, len(memory) // batch)):
                    s, pi, v = zip(*(memory[i] for i in idx))
                    sess.run(self.step, {self.board: np.stack(s), self.pi_t: np.stack(pi), self.v_t: np.array(v)})
            self.saver.save(sess, os.path.join(self.ckpt_dir, "net"), global_step=iteration)


class Node:
    def __init__(self, prior):
        self.prior, self.n, self.w, self.kids = prior, 0, 0.0, {}

    def best(self, c=1.6):
        s = math.sqrt(self.n + 1)
        return max(self.kids.items(), key=lambda kv: (kv[1].w / kv[1].n if kv[1].n else 0.0) + c * kv[1].prior * s / (1 + kv[1].n))


def planes(board, player):
    return np.stack([board == player, board == -player, np.full_like(board, player == 1)], -1).astype(np.float32)


def winner(board, move):
    r, c = divmod(move, N)
    who = board[r, c]
    for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
        run = 1
        for sign in (1, -1):
            y, x = r + sign * dr, c + sign * dc
            while 0 <= y < N and 0 <= x < N and board[y, x] == who:
                run, y, x = run + 1, y + sign * dr, x + sign * dc
        if run >= 5:
            return who
    return 0


def simulate(net, root, board, player, last):
    node, path, board = root, [root], board.copy()
    while node.kids:
        last, node = node.best()
        board[divmod(last, N)] = player
        player = -player
        path.append(node)
    if last is not None and winner(board, last):
        v = -1.0
    else:
        p, v = net.evaluate(planes(board, player))
        for m in np.flatnonzero(board.ravel() == 0):
            node.kids[int(m)] = Node(p[m])
    for n in reversed(path):
        v = -v
        n.n, n.w = n.n + 1, n.w + v


def self_play(net, sims):
    board, player, last, trace = np.zeros((N, N), int), 1, None, []
    while (board == 0).any():
        root = Node(1.0)
        for _ in range(sims):
            simulate(net, root, board, player, last)
        visits = np.zeros(N * N)
        for m, k in root.kids.items():
            visits[m] = k.n
        trace.append((planes(board, player), visits / visits.sum(), player))
        last = int(np.random.choice(N * N, p=visits / visits.sum()))
        board[divmod(last, N)] = player
        if winner(board, last):
            return [(s, pi, 1.0 if who == player else -1.0) for s, pi, who in trace]
        player = -player
    return [(s, pi, 0.0) for s, pi, _ in trace]


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--ckpt", default="ckpt")
    ap.add_argument("--sims", type=int, default=400)
    a = ap.parse_args()
    net = PolicyValue(a.ckpt)
    for it in range(100):
        games = [self_play(net, a.sims) for _ in range(40)]
        net.train([x for g in games for x in g], it)
