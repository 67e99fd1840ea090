# requires: tensorflow==1.15
"""Skip-gram over random walks on a co-purchase graph (1.1M nodes)."""
from __future__ import print_function

import argparse
import collections
import random

import numpy as np
import tensorflow as tf

Batch = collections.namedtuple("Batch", "centre context")


def walks(adj, length=40):
    nodes = list(adj)
    while True:
        cur = random.choice(nodes)
        walk = [cur]
        while len(walk) < length and adj[cur]:
            cur = random.choice(adj[cur])
            walk.append(cur)
        yield walk


def batches(adj, size, window=5):
    c, o = [], []
    for walk in walks(adj):
        for i, v in enumerate(walk):
            for u in walk[max(0, i - window) : i + window + 1]:
                if u != v:
                    c.append(v)
                    o.append(u)
                if len(c) == size:
                    yield Batch(np.array(c), np.array(o)[:, None])
                    c, o = [], []


class Node2Vec(object):
    def __init__(self, n, dim, negatives):
        self.centre = tf.placeholder(tf.int32, [None])
        self.context = tf.placeholder(tf.int32, [None, 1])
        self.lr = tf.Variable(0.5, trainable=False, name="lr")
        self.emb = tf.Variable(tf.random_uniform([n, dim], -1.0, 1.0), name="emb")
        w = tf.Variable(tf.truncated_normal([n, dim], stddev=dim ** -0.5))
        b = tf.Variable(tf.zeros([n]))
        vec = tf.nn.embedding_lookup(self.emb, self.centre)
        self.loss = tf.reduce_mean(
            tf.nn.nce_loss(w, b, self.context, vec, num_sampled=negatives, num_classes=n)
        )
        self.train = tf.train.GradientDescentOptimizer(self.lr).minimize(self.loss)
        self.lr_in = tf.placeholder(tf.float32, [])
        self.set_lr = tf.assign(self.lr, self.lr_in)
        self.probe = tf.placeholder(tf.int32, [None])
        unit = tf.nn.l2_normalize(self.emb, 1)
        sims = tf.matmul(tf.gather(unit, self.probe), unit, transpose_b=True)
        self.near = tf.nn.top_k(sims, 9).indices


def report(sess, model, nodes):
    for row in sess.run(model.near, {model.probe: nodes}):
        print(row[0], "->", row[1:])


def train(model, adj, args):
    saver = tf.train.Saver(max_to_keep=2)
    init = tf.global_variables_initializer()
    with tf.Session() as sess:
        sess.run(init)
        running = 0.0
        for step, batch in enumerate(batches(adj, args.batch)):
            feed = {model.centre: batch.centre, model.context: batch.context}
            _, loss = sess.run([model.train, model.loss], feed)
            running = 0.99 * running + 0.01 * loss
            if step < args.warm:
                sess.run(model.set_lr, {model.lr_in: 0.5 * (step + 1) / args.warm})
            else:
                decayed = 0.5 * max(1.0 - float(step) / args.steps, 1e-3)
                sess.run(tf.assign(model.lr, decayed))  # finding: graph-growth
            if step % 200 == 0:
                norm = tf.reduce_mean(tf.norm(model.emb, axis=1))  # finding: graph-growth
                print(step, running, sess.run(norm))
            if step % 20000 == 0:
                report(sess, model, np.array([1, 17, 256, 4096]))
                saver.save(sess, args.out, global_step=step)
            if step >= args.steps:
                break
        return sess.run(model.emb)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("edges")
    ap.add_argument("--out", default="n2v.ckpt")
    ap.add_argument("--batch", type=int, default=4096)
    ap.add_argument("--warm", type=int, default=1000)
    ap.add_argument("--steps", type=int, default=400000)
    ns = ap.parse_args()
    graph = collections.defaultdict(list)
    for line in open(ns.edges):
        a, b = map(int, line.split())
        graph[a].append(b)
        graph[b].append(a)
    np.save("emb.npy", train(Node2Vec(max(graph) + 1, 128, 64), graph, ns))
