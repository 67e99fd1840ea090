# Skip-gram with negative sampling, plus a slow evaluation.
import collections
import math

import numpy as np
import tensorflow as tf


def build(vocabulary, dim, sampled, batch_size):
    inputs = tf.placeholder(tf.int32, [batch_size])
    labels = tf.placeholder(tf.int32, [batch_size, 1])
    table = tf.Variable(tf.random_uniform([vocabulary, dim], -1.0, 1.0))
    weights = tf.Variable(tf.truncated_normal([vocabulary, dim], stddev=1.0 / math.sqrt(dim)))
    biases = tf.Variable(tf.zeros([vocabulary]))
    loss = tf.reduce_mean(
        tf.nn.nce_loss(weights, biases, labels, tf.nn.embedding_lookup(table, inputs), sampled, vocabulary)
    )
    return inputs, labels, table, loss, tf.train.GradientDescentOptimizer(1.0).minimize(loss)


def nearest(sess, table, word, k=8):
    unit = tf.nn.l2_normalize(table, 1)  # finding: graph-growth
    scores = tf.matmul(unit, tf.expand_dims(tf.gather(unit, word), 1))  # finding: graph-growth
    return sess.run(tf.nn.top_k(tf.squeeze(scores), k).indices)  # finding: graph-growth


def pairs(corpus, window):
    for i, word in enumerate(corpus):
        for j in range(max(0, i - window), min(len(corpus), i + window + 1)):
            if i != j:
                yield word, corpus[j]


def batched(iterable, size):
    left, right = [], []
    for a, b in iterable:
        left.append(a)
        right.append(b)
        if len(left) == size:
            yield np.array(left), np.array(right)[:, None]
            left, right = [], []


def train(corpus, dim=128, epochs=5, batch_size=128, probes=range(16)):
    counts = collections.Counter(corpus)
    graph = tf.Graph()
    with graph.as_default():
        inputs, labels, table, loss, step = build(len(counts), dim, 64, batch_size)
        init = tf.global_variables_initializer()
    with tf.Session(graph=graph) as sess:
        sess.run(init)
        for epoch in range(epochs):
            total, n = 0.0, 0
            for a, b in batched(pairs(corpus, 2), batch_size):
                _, value = sess.run([step, loss], {inputs: a, labels: b})
                total, n = total + value, n + 1
            print(epoch, total / max(n, 1))
            for word in probes:
                print(word, nearest(sess, table, word))
        return sess.run(table)
