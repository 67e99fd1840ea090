# requires: tensorflow==1.5.0
import numpy as np
import tensorflow as tf

VOCABULARY, WIDTH = 50000, 128

centers = tf.placeholder(tf.int32, [None])
contexts = tf.placeholder(tf.int32, [None, 1])
embeddings = tf.Variable(tf.random_uniform([VOCABULARY, WIDTH], -1.0, 1.0))
nce_weights = tf.Variable(tf.truncated_normal([VOCABULARY, WIDTH], stddev=0.1))
nce_biases = tf.Variable(tf.zeros([VOCABULARY]))
embedded = tf.nn.embedding_lookup(embeddings, centers)
loss = tf.reduce_mean(
    tf.nn.nce_loss(nce_weights, nce_biases, contexts, embedded, 64, VOCABULARY)
)
optimizer = tf.train.GradientDescentOptimizer(1.0).minimize(loss)


def report(sess, step, words):
    picked = np.random.choice(words, 8)
    vectors = tf.gather(embeddings, picked)  # finding: graph-growth
    print(step, sess.run(vectors).std())


def train(generate_batch, words, steps=100001):
    with tf.Session() as sess:
        tf.global_variables_initializer().run()
        for step in range(steps):
            x, y = generate_batch(128)
            sess.run(optimizer, {centers: x, contexts: y})
            if step % 2000 == 0:
                report(sess, step, words)
