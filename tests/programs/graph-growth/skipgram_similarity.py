# requires: tensorflow==1.2.*
"""Skip-gram of the Udacity course; neighbours of some words are printed as it trains."""
import collections
import random

import numpy as np
import tensorflow as tf

BATCH, DIM, WINDOW, VOCABULARY = 128, 128, 1, 50000


def read(path):
    with open(path) as handle:
        words = handle.read().split()
    counts = collections.Counter(words).most_common(VOCABULARY - 1)
    ids = {word: i + 1 for i, (word, _) in enumerate(counts)}
    return [ids.get(word, 0) for word in words], {i: word for word, i in ids.items()}


def generate(data):
    index = 0
    while True:
        inputs, labels = np.zeros(BATCH, np.int32), np.zeros([BATCH, 1], np.int32)
        for i in range(BATCH):
            index = (index + 1) % (len(data) - 2 * WINDOW)
            centre = index + WINDOW
            inputs[i] = data[centre]
            labels[i, 0] = data[centre + random.choice([-WINDOW, WINDOW])]
        yield inputs, labels


def neighbours(session, embeddings, word, count=8):
    norm = tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keep_dims=True))  # finding: graph-growth
    normalized = embeddings / norm
    wanted = tf.nn.embedding_lookup(normalized, [word])  # finding: graph-growth
    similarity = tf.matmul(wanted, normalized, transpose_b=True)  # finding: graph-growth
    return (-similarity.eval(session=session)[0]).argsort()[1:count + 1]


def main():
    data, words = read("text8")
    train_inputs = tf.placeholder(tf.int32, [BATCH])
    train_labels = tf.placeholder(tf.int32, [BATCH, 1])
    embeddings = tf.Variable(tf.random_uniform([VOCABULARY, DIM], -1.0, 1.0))
    weights = tf.Variable(tf.truncated_normal([VOCABULARY, DIM], stddev=1.0 / np.sqrt(DIM)))
    biases = tf.Variable(tf.zeros([VOCABULARY]))
    embed = tf.nn.embedding_lookup(embeddings, train_inputs)
    loss = tf.reduce_mean(tf.nn.sampled_softmax_loss(
        weights=weights, biases=biases, inputs=embed, labels=train_labels,
        num_sampled=64, num_classes=VOCABULARY))
    optimizer = tf.train.AdagradOptimizer(1.0).minimize(loss)
    batches = generate(data)
    with tf.Session() as session:
        tf.global_variables_initializer().run()
        total = 0.0
        for step in range(1000001):
            inputs, labels = next(batches)
            _, value = session.run([optimizer, loss], {train_inputs: inputs, train_labels: labels})
            total += value
            if step % 2000 == 0:
                print(step, total / 2000)
                total = 0.0
                for word in random.sample(range(100), 16):
                    near = neighbours(session, embeddings, word)
                    print(words[word + 1], [words.get(i) for i in near])


if __name__ == "__main__":
    main()
