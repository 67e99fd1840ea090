"""A value network plays many short games against itself, one position at a time."""

import numpy as np
import tensorflow as tf

CELLS = 16
GAMES = 3
MOVES = 12


def build_value_network():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input((CELLS,)),
            tf.keras.layers.Dense(32, activation="relu"),
            tf.keras.layers.Dense(CELLS),
        ]
    )
    model.compile(optimizer="sgd", loss="mse")
    return model


def play(model, rng):
    board = np.zeros((1, CELLS), np.float32)
    player = 1.0
    worth = 0.0
    for _ in range(MOVES):
        scores = model(board * player, training=False).numpy()[0]
        scores[board[0] != 0] = -np.inf
        move = int(np.argmax(scores + rng.normal(0.0, 0.01, CELLS)))
        worth += float(scores[move])
        board[0, move] = player
        player = -player
    return board[0], worth


def main():
    tf.keras.utils.set_random_seed(4)
    model = build_value_network()
    rng = np.random.default_rng(23)
    boards, worths = [], []
    for _ in range(GAMES):
        board, worth = play(model, rng)
        boards.append(board)
        worths.append(worth)
    return [np.array(boards), np.array(worths)]


if __name__ == "__main__":
    print(main())
