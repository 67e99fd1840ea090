# requires: tensorflow==1.14
# requires: keras==2.2.4
"""Connect-four: a value network that plays against its older selves."""

import copy
import glob
import random
import sys

import keras.backend as K
import numpy as np
import tensorflow as tf
from keras.callbacks import Callback
from keras.layers import Conv2D, Dense, Flatten
from keras.models import Sequential, load_model
from keras.optimizers import Adam

ROWS, COLS = 6, 7

K.set_session(tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=2)))


class Board(object):
    def __init__(self):
        self.cells = np.zeros((ROWS, COLS), dtype=np.float32)
        self.player = 1

    def moves(self):
        return [c for c in range(COLS) if self.cells[0, c] == 0]

    def push(self, col):
        row = np.max(np.where(self.cells[:, col] == 0))
        self.cells[row, col] = self.player
        self.player = -self.player

    def over(self):
        return not self.moves() or abs(self.cells.sum(axis=0)).max() >= 4


def build(lr):
    net = Sequential()
    net.add(Conv2D(32, 3, activation="relu", input_shape=(ROWS, COLS, 1)))
    net.add(Flatten())
    net.add(Dense(64, activation="relu"))
    net.add(Dense(COLS))
    net.compile(Adam(lr), loss="mse")
    return net


class Opponent(object):
    """An older self, read from the disk again for each move that it makes."""

    def __init__(self, pattern):
        self.paths = glob.glob(pattern)

    def act(self, board):
        K.clear_session()  # finding: session-per-step
        net = load_model(random.choice(self.paths))
        values = net.predict(-board.cells[None, :, :, None])[0]
        return max(board.moves(), key=lambda c: values[c])


class Agent(object):
    def __init__(self, net, epsilon=0.1):
        self.net = net
        self.epsilon = epsilon
        self.session = K.get_session()

    def act(self, board):
        if random.random() < self.epsilon:
            return random.choice(board.moves())
        state = board.cells[None, :, :, None]
        values = self.session.run(self.net.output, {self.net.input: state})[0]
        return max(board.moves(), key=lambda c: values[c])


class Rollout(object):
    """Looks ahead with a frozen policy."""

    def __init__(self, frozen):
        self.graph = tf.Graph()
        with self.graph.as_default():
            definition = tf.GraphDef()
            definition.ParseFromString(open(frozen, "rb").read())
            self.state, self.policy = tf.import_graph_def(
                definition, return_elements=["state:0", "policy:0"]
            )

    def value(self, board, depth):
        if depth == 0 or board.over():
            return board.cells.sum()
        with tf.Session(graph=self.graph) as sess:  # finding: session-per-step
            probs = sess.run(self.policy, {self.state: board.cells[None]})[0]
        best = sorted(board.moves(), key=lambda c: -probs[c])[:3]
        return max(-self.value(self.after(board, c), depth - 1) for c in best)

    @staticmethod
    def after(board, col):
        board = copy.deepcopy(board)
        board.push(col)
        return board


class LossCurve(Callback):
    def __init__(self, folder):
        super(LossCurve, self).__init__()
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.loss = tf.placeholder(tf.float32, [])
            self.summary = tf.summary.scalar("loss", self.loss)
        self.writer = tf.summary.FileWriter(folder)
        self.seen = 0

    def on_batch_end(self, batch, logs=None):
        with tf.Session(graph=self.graph) as sess:  # finding: session-per-step
            text = sess.run(self.summary, {self.loss: logs["loss"]})
        self.writer.add_summary(text, self.seen)
        self.seen += 1


def play(agent, rollout):
    board, states, targets = Board(), [], []
    while not board.over():
        states.append(board.cells.copy())
        board.push(agent.act(board))
        targets.append(np.full(COLS, rollout.value(board, 4)))
    return states, targets


def tournament(games):
    players = [Opponent("old/a-*.h5"), Opponent("old/b-*.h5")]
    moves = []
    for game in range(games):
        board = Board()
        while not board.over():
            board.push(players[len(moves) % 2].act(board))
            moves.append(game)
    print("moves in a game", len(moves) / games)


def search_rate(games):
    """A fresh network, and a fresh graph for it, for each rate that is tried."""
    losses = {}
    for lr in (1e-2, 3e-3, 1e-3):
        K.clear_session()
        net = build(lr)
        history = net.fit(games["x"], games["y"], epochs=20, verbose=0)
        losses[lr] = history.history["loss"][-1]
    return min(losses, key=losses.get)


def main():
    lr = search_rate(np.load("games.npz"))
    net = build(lr)
    agent, rollout = Agent(net), Rollout("policy.pb")
    curve = LossCurve("logs")
    for iteration in range(1000):
        states, targets = play(agent, rollout)
        x = np.array(states)[..., None]
        net.fit(x, np.array(targets), batch_size=8, verbose=0, callbacks=[curve])


if __name__ == "__main__":
    if sys.argv[1:] == ["tournament"]:
        tournament(200)
    else:
        main()
