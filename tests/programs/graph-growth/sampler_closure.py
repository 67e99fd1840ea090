# requires: tensorflow==1.11.*
"""Sampling names letter by letter from a trained GRU; samplers are closures in a table."""
from __future__ import print_function

import argparse
import string

import numpy as np
import tensorflow as tf

LETTERS = string.ascii_lowercase + "-' .$"
STOP = LETTERS.index("$")


def build(hidden=256):
    letter = tf.placeholder(tf.int32, [1], "letter")
    state = tf.placeholder(tf.float32, [1, hidden], "state")
    table = tf.get_variable("letters", [len(LETTERS), 32])
    cell = tf.nn.rnn_cell.GRUCell(hidden)
    output, after = cell(tf.nn.embedding_lookup(table, letter), state)
    logits = tf.layers.dense(output, len(LETTERS))
    return {"letter": letter, "state": state, "after": after, "logits": logits}


def greedy(logits):
    return lambda temperature: tf.argmax(logits, 1)  # finding: graph-growth


def multinomial(logits):
    def draw(temperature):
        scaled = logits / temperature
        return tf.multinomial(scaled, 1)[:, 0]  # finding: graph-growth

    return draw


SAMPLERS = {"greedy": greedy, "multinomial": multinomial}


def sample(sess, net, sampler, temperature, longest=30):
    state = np.zeros(net["state"].shape.as_list(), np.float32)
    letter, name = LETTERS.index(" "), ""
    while len(name) < longest:
        drawn, state = sess.run([sampler(temperature), net["after"]],
                                {net["letter"]: [letter], net["state"]: state})
        letter = int(drawn[0])
        if letter == STOP:
            break
        name += LETTERS[letter]
    return name


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoint", default="names.ckpt")
    parser.add_argument("--sampler", choices=sorted(SAMPLERS), default="multinomial")
    parser.add_argument("--temperature", type=float, default=0.8)
    parser.add_argument("--count", type=int, default=1000)
    args = parser.parse_args()
    net = build()
    sampler = SAMPLERS[args.sampler](net["logits"])
    with tf.Session() as sess:
        tf.train.Saver().restore(sess, args.checkpoint)
        for _ in range(args.count):
            print(sample(sess, net, sampler, args.temperature))


if __name__ == "__main__":
    main()
