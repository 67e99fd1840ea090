# requires: tensorflow==1.12.0
"""Two-player self-play; all per-step work is NumPy, the graph is finished."""
import numpy as np
import tensorflow as tf


def softmax(logits, temperature):
    shifted = np.exp((logits - logits.max()) / temperature)
    return shifted / shifted.sum()


def play(game, boards, logits, checkpoint, games):
    results = []
    saver = tf.train.Saver()
    with tf.Session() as sess:
        saver.restore(sess, checkpoint)
        sess.graph.finalize()
        for index in range(games):
            game.reset()
            while not game.over():
                scores = sess.run(logits, feed_dict={boards: game.board()[None]})[0]
                move = np.random.choice(len(scores), p=softmax(scores, 1.0 / (index + 1)))
                game.play(move)
            results.append(game.winner())
    return np.bincount(results)
