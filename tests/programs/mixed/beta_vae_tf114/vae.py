"""Beta-VAE sweep; annealed KL; early stopping."""
import itertools
import logging

import numpy as np
import tensorflow as tf

log = logging.getLogger(__name__)


def mlp(x, widths, last):
    for w in widths:
        x = tf.layers.dense(x, w, tf.nn.elu)
    return tf.layers.dense(x, last)


class VAE:
    def __init__(self, inputs, latent):
        self.x = tf.placeholder(tf.float32, [None, inputs], "x")
        stats = mlp(self.x, [256, 128], 2 * latent)
        self.mu, self.logvar = tf.split(stats, 2, 1)
        eps = tf.random_normal(tf.shape(self.mu))
        self.zed = self.mu + tf.exp(self.logvar / 2) * eps
        self.decoded = mlp(self.zed, [128, 256], inputs)
        self.kl = -0.5 * tf.reduce_mean(1 + self.logvar - self.mu ** 2 - tf.exp(self.logvar))
        self.rec = tf.reduce_mean((self.x - self.decoded) ** 2)


def batches(data, size):
    order = np.random.permutation(len(data))
    for start in range(0, len(data), size):
        yield data[order[start : start + size]]


def evaluate(sess, model, data):
    losses = []
    for batch in batches(data, 512):
        error = tf.reduce_max(tf.abs(model.x - model.decoded))  # finding: graph-growth
        losses.append(sess.run(error, feed_dict={model.x: batch}))
    return max(losses)


def train(data, valid, latent, beta, epochs):
    graph = tf.Graph()
    with graph.as_default(), tf.Session(graph=graph) as sess:
        model = VAE(data.shape[1], latent)
        weight = tf.get_variable("beta", [], initializer=tf.zeros_initializer(), trainable=False)
        loss = model.rec + weight * model.kl
        step = tf.train.AdamOptimizer().minimize(loss)
        sess.run(tf.global_variables_initializer())
        best, waited = np.inf, 0
        for epoch in range(epochs):
            sess.run(weight.assign(min(beta, beta * epoch / 10)))  # finding: graph-growth
            for batch in batches(data, 128):
                sess.run(step, {model.x: batch})
            score = sess.run(loss, {model.x: valid})
            log.info("%d %.4f", epoch, score)
            if score < best:
                best, waited = score, 0
            else:
                waited += 1
            if waited > 5:
                break
        return best, evaluate(sess, model, valid)


def sweep(data, valid):
    results = {}
    for latent, beta in itertools.product((2, 4, 8), (0.5, 1.0, 4.0)):
        results[latent, beta] = train(data, valid, latent, beta, 100)
    return results


def encode_stream(sess, model, stream):
    """Runs for as long as the stream does."""
    while True:
        chunk = stream.read(4096)
        if not chunk:
            return
        rows = np.frombuffer(chunk, np.float32).reshape(-1, 64)
        scaled = tf.convert_to_tensor(rows) / 255.0  # finding: graph-growth
        rows = sess.run(scaled)
        yield sess.run(model.mu, {model.x: rows})


def encode_file(path, stream):
    tf.reset_default_graph()
    model = VAE(64, 8)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        saver.restore(sess, path)
        parts = [part for part in encode_stream(sess, model, stream)]
    return np.concatenate(parts)


if __name__ == "__main__":
    logging.basicConfig(level="INFO")
    table = np.load("table.npy")
    print(sweep(table[1000:], table[:1000]))
    with open("feed.bin", "rb") as handle:
        np.save("codes.npy", encode_file("model.ckpt", handle))
