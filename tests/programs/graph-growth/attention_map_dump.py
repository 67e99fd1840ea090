# requires: tensorflow==1.15.*
"""Image captions with attention: trains, and dumps the attention of some images per epoch."""
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf


class Caption:
    def __init__(self, vocab, dim=512, cells=49, length=20):
        self.features = tf.placeholder(tf.float32, [None, cells, dim])
        self.words = tf.placeholder(tf.int32, [None, length + 1])
        emb = tf.get_variable("emb", [vocab, dim])
        cell = tf.nn.rnn_cell.LSTMCell(dim)
        state = cell.zero_state(tf.shape(self.features)[0], tf.float32)
        losses, self.alphas = [], []
        for t in range(length):
            with tf.variable_scope("step", reuse=tf.AUTO_REUSE):
                query = tf.layers.dense(state.h, dim, name="query")
                alpha = tf.nn.softmax(tf.reduce_sum(self.features * query[:, None], -1))
                context = tf.reduce_sum(self.features * alpha[..., None], 1)
                out, state = cell(tf.concat([tf.nn.embedding_lookup(emb, self.words[:, t]), context], 1), state)
                logits = tf.layers.dense(out, vocab, name="out")
            losses.append(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.words[:, t + 1], logits=logits))
            self.alphas.append(alpha)
        self.loss = tf.reduce_mean(tf.stack(losses))
        self.train = tf.train.AdamOptimizer(4e-4).minimize(self.loss)


def upsampled(sess, alpha, size=224):
    square = np.reshape(alpha, (1, 7, 7, 1))
    big = tf.image.resize_bicubic(square, (size, size))  # note: graph-growth
    return sess.run(big)[0, :, :, 0]


def dump(sess, model, features, words, images, folder):
    alphas = sess.run(model.alphas, {model.features: features, model.words: words})
    for n, image in enumerate(images):
        fig, axes = plt.subplots(4, 5, figsize=(15, 12))
        for t, ax in enumerate(axes.flat):
            ax.imshow(image)
            ax.imshow(upsampled(sess, alphas[t][n]), alpha=0.6)
            ax.axis("off")
        fig.savefig(os.path.join(folder, "%03d.png" % n))
        plt.close(fig)


def main():
    d = np.load("flickr8k.npz")
    model = Caption(int(d["words"].max()) + 1)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(20):
            order = np.random.permutation(len(d["train"]))
            for i in range(0, len(order), 64):
                idx = d["train"][order[i:i + 64]]
                loss, _ = sess.run([model.loss, model.train], {model.features: d["features"][idx], model.words: d["words"][idx]})
            folder = "attention/%02d" % epoch
            os.makedirs(folder)
            show = d["valid"][:30]
            dump(sess, model, d["features"][show], d["words"][show], d["images"][show], folder)
            print(epoch, loss)


if __name__ == "__main__":
    main()
