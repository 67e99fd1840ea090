import math

import numpy as np
from tensorflow import keras


class Node:
    def __init__(self, prior):
        self.prior, self.visits, self.value, self.children = prior, 0, 0.0, {}


class Search:
    def __init__(self, net, simulations=400):
        self.net, self.simulations = net, simulations

    def evaluate(self, board):
        policy, value = self.net.predict(board.planes()[np.newaxis], verbose=0)  # finding: predict-per-item
        return policy[0], float(value[0, 0])

    def run(self, board):
        root = Node(1.0)
        for _ in range(self.simulations):
            node, game = root, board.copy()
            while node.children:
                move, node = max(node.children.items(), key=lambda kv: self.ucb(node, kv[1]))
                game.push(move)
            policy, value = self.evaluate(game)
            for move in game.moves():
                node.children[move] = Node(policy[move])
            node.visits += 1
            node.value += value
        return max(root.children, key=lambda m: root.children[m].visits)

    def ucb(self, parent, child):
        return child.value / (1 + child.visits) + child.prior * math.sqrt(1 + parent.visits) / (1 + child.visits)


def self_play(net, board, games):
    data = []
    for _ in range(games):
        game = board.copy()
        while not game.over():
            move = Search(net).run(game)
            data.append((game.planes(), move))
            game.push(move)
    return data


def human(net, board):
    while not board.over():
        board.push(Search(net).run(board))
        print(board)
        board.push(input("your move: "))


def arena(paths, board):
    wins = {}
    for path in paths:
        net = keras.models.load_model(path)
        wins[path] = len(self_play(net, board, 10))
    return wins


def train(board, rounds):
    net = keras.models.load_model("net.keras")
    for _ in range(rounds):
        planes, moves = zip(*self_play(net, board, 50))
        net.fit(np.stack(planes), np.array(moves), epochs=2, batch_size=256)
        best = keras.models.load_model("best.keras")  # finding: model-per-turn
        print(best.predict(np.stack(planes), batch_size=1024).mean())
