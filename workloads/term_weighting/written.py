"""Learns how to weight terms for text classification from training statistics, and compares the
learned function with tf-idf, tf-chi2 and tf-ig by the F1 of a linear SVM."""

import argparse
import json
import math

import numpy as np
import tensorflow as tf
from scipy.sparse import csr_matrix
from sklearn.metrics import f1_score
from sklearn.svm import LinearSVC


def generate_documents(count, vocabulary, seed):
    """Documents of four topics: a few words tell the topic, frequent ones and bursts tell nothing."""
    rng = np.random.default_rng(0)
    common = rng.zipf(1.3, 20_000) % vocabulary
    topics = [rng.choice(vocabulary, 40, replace=False) for _ in range(4)]
    rng = np.random.default_rng(seed)
    documents, labels = [], []
    for _ in range(count):
        label = int(rng.integers(4))
        words = rng.choice(common, rng.integers(40, 120)).tolist()
        words += rng.choice(topics[label], rng.integers(2, 6)).tolist()
        words += rng.choice(topics[rng.integers(4)], 2).tolist()
        words += [int(rng.integers(vocabulary))] * int(rng.integers(2, 15))
        documents.append(words)
        labels.append(label)
    return documents, np.array(labels)


def count_terms(documents, vocabulary):
    rows = [row for row, words in enumerate(documents) for _ in words]
    columns = [word for words in documents for word in words]
    counts = csr_matrix((np.ones(len(rows)), (rows, columns)), (len(documents), vocabulary))
    counts.data = 1 + np.log(counts.data)
    return counts


class ContingencyTable:
    """In how many documents of a category, and of the others, a term occurs."""

    def __init__(self, tp, fp, fn, tn):
        self.tp, self.fp, self.fn, self.tn = tp, fp, fn, tn
        self.total = tp + fp + fn + tn

    def tpr(self):
        return self.tp / max(self.tp + self.fn, 1)

    def fpr(self):
        return self.fp / max(self.fp + self.tn, 1)


def contingency_tables(X, y):
    tables = []
    for term in range(X.shape[1]):
        occurs = X[:, term].toarray().ravel() > 0
        tp = int(np.sum(occurs & y))
        fp = int(np.sum(occurs & ~y))
        tables.append(ContingencyTable(tp, fp, int(y.sum()) - tp, int((~y).sum()) - fp))
    return tables


def idf(table):
    return math.log(table.total / max(table.tp + table.fp, 1))


def chi_square(table):
    t = table
    bottom = (t.tp + t.fp) * (t.fn + t.tn) * (t.tp + t.fn) * (t.fp + t.tn)
    return t.total * (t.tp * t.tn - t.fp * t.fn) ** 2 / bottom if bottom else 0.0


def information_gain(table):
    def part(joint, a, b):
        return joint / n * math.log(joint * n / (a * b)) if joint else 0.0

    t, n = table, table.total
    return (
        part(t.tp, t.tp + t.fp, t.tp + t.fn)
        + part(t.fp, t.tp + t.fp, t.fp + t.tn)
        + part(t.fn, t.fn + t.tn, t.tp + t.fn)
        + part(t.tn, t.fn + t.tn, t.fp + t.tn)
    )


class LearnedWeight(tf.Module):
    """A network from a term's statistics to its weight, trained through a linear classifier."""

    def __init__(self, vocabulary, hidden=32):
        super().__init__()
        initial = tf.random_normal_initializer(stddev=0.3, seed=1)
        self.w1 = tf.Variable(initial((4, hidden)))
        self.b1 = tf.Variable(tf.zeros(hidden))
        self.w2 = tf.Variable(tf.random_normal_initializer(stddev=0.3, seed=2)((hidden, 1)))
        self.b2 = tf.Variable(tf.ones(1))
        self.out = tf.Variable(tf.zeros((vocabulary, 1)))
        self.bias = tf.Variable(tf.zeros(1))

    def weights(self, statistics):
        hidden = tf.nn.relu(statistics @ self.w1 + self.b1)
        return tf.nn.softplus(hidden @ self.w2 + self.b2)[:, 0]

    def __call__(self, tf_rows, statistics):
        rows = tf.math.l2_normalize(tf_rows * self.weights(statistics), axis=1)
        return (rows @ self.out + self.bias)[:, 0]


def standardized(statistics):
    mean, variance = tf.nn.moments(statistics, axes=0)
    return (statistics - mean) / tf.sqrt(variance + 1e-6)


def train_step(model, optimizer, rows, labels, statistics):
    with tf.GradientTape() as tape:
        logits = model(rows, standardized(statistics))
        loss = tf.reduce_mean(
            tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
        )
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


def learn_weights(X, y, tables, epochs):
    """The weight of each term; tables of contingency are all that the function sees of it."""
    statistics = np.array([[t.tpr(), t.fpr(), idf(t), chi_square(t)] for t in tables])
    statistics = tf.constant(statistics, tf.float32)
    model = LearnedWeight(X.shape[1])
    optimizer = tf.keras.optimizers.Adam(0.02)
    dataset = tf.data.Dataset.from_tensor_slices((X.toarray(), y.astype(np.float32)))
    dataset = dataset.shuffle(len(y), seed=0).map(
        lambda row, label: (tf.cast(row, tf.float32), label)
    )
    dataset = dataset.batch(64)
    for epoch in range(epochs):
        losses = []
        for rows, labels in dataset:
            loss = train_step(model, optimizer, rows, labels, statistics)
            losses.append(loss.numpy())
        print(f"  epoch {epoch + 1}: loss {np.mean(losses):.4f}")
    return model.weights(standardized(statistics)).numpy()


def weighted(X, weights):
    rows = []
    for row in X.toarray():
        row = row * weights
        rows.append(row / max(np.linalg.norm(row), 1e-9))
    return np.array(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1200)
    parser.add_argument("--vocabulary", type=int, default=1500)
    parser.add_argument("--categories", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=5)
    options = parser.parse_args()
    documents, labels = generate_documents(options.documents, options.vocabulary, seed=1)
    X = count_terms(documents, options.vocabulary)
    documents, test_labels = generate_documents(options.documents // 2, options.vocabulary, seed=2)
    X_test = count_terms(documents, options.vocabulary)
    scores = {"tf-idf": [], "tf-chi2": [], "tf-ig": [], "learned": []}
    for category in range(options.categories):
        print(f"category {category}")
        y, y_test = labels == category, test_labels == category
        tables = contingency_tables(X, y)
        weights = {
            "tf-idf": np.array([idf(table) for table in tables]),
            "tf-chi2": np.array([chi_square(table) for table in tables]),
            "tf-ig": np.array([information_gain(table) for table in tables]),
            "learned": learn_weights(X, y, tables, options.epochs),
        }
        for name, values in weights.items():
            classifier = LinearSVC(random_state=0).fit(weighted(X, values), y)
            scores[name].append(f1_score(y_test, classifier.predict(weighted(X_test, values))))
    results = {name: round(float(np.mean(values)), 4) for name, values in scores.items()}
    for name, value in results.items():
        print(f"{name}: macro F1 {value:.3f}")
    print(json.dumps(results))


if __name__ == "__main__":
    main()
