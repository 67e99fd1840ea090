"""Policy head: the value of the cells that each game's candidate moves point at."""

import tensorflow as tf

GAMES = 256
BOARD = 9
MOVES = 12


def boards_and_moves():
    boards = tf.random.stateless_normal((GAMES, BOARD, BOARD, 4), seed=(62, 43))
    moves = tf.random.stateless_uniform(
        (GAMES, MOVES, 2), seed=(3, 66), maxval=BOARD, dtype=tf.int32
    )
    return boards, moves


def cells_of(maps, moves):
    picked = []
    for game in range(maps.shape[0]):
        picked.append(tf.gather_nd(maps[game], moves[game]))  # finding
    return tf.stack(picked)


def move_values(boards, moves, kernel, head):
    maps = tf.nn.relu(tf.nn.conv2d(boards, kernel, strides=1, padding="SAME"))
    cells = cells_of(maps, moves)
    return tf.squeeze(cells @ head, axis=-1)


def main():
    boards, moves = boards_and_moves()
    kernel = tf.random.stateless_normal((3, 3, 4, 8), seed=(1, 1))
    head = tf.random.stateless_normal((8, 1), seed=(2, 2))
    values = move_values(boards, moves, kernel, head)
    return tf.nn.softmax(values).numpy()


if __name__ == "__main__":
    print(main()[0])
