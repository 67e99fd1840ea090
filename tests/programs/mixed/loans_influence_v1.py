# requires: tensorflow==2.6.0
"""Which past loans made the model refuse this one? Influence by conjugate gradients."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

METRICS = {
    "auc": lambda y, p: tf.metrics.auc(y, p)[1],  # finding: graph-growth
    "accuracy": lambda y, p: tf.reduce_mean(tf.cast(tf.equal(y, tf.round(p)), tf.float32)),  # finding: graph-growth
    "brier": lambda y, p: tf.reduce_mean(tf.squared_difference(y, p)),  # finding: graph-growth
}


class Scorer:
    def __init__(self, width):
        self.x = tf.placeholder(tf.float32, [None, width])
        self.y = tf.placeholder(tf.float32, [None])
        self.w = tf.get_variable("w", [width])
        logits = tf.tensordot(self.x, self.w, 1)
        self.p = tf.sigmoid(logits)
        each = tf.nn.sigmoid_cross_entropy_with_logits(labels=self.y, logits=logits)
        self.loss = tf.reduce_mean(each) + 1e-3 * tf.nn.l2_loss(self.w)
        self.slope = tf.gradients(self.loss, self.w)[0]
        self.train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(self.loss)


def fit(sess, scorer, x, y, steps, size=256):
    for _ in range(steps):
        rows = np.random.randint(len(x), size=size)
        sess.run(scorer.train, {scorer.x: x[rows], scorer.y: y[rows]})


def hessian_product(sess, scorer, x, y, vector):
    along = tf.reduce_sum(scorer.slope * tf.constant(vector, tf.float32))  # finding: graph-growth
    product = tf.gradients(along, scorer.w)[0]  # finding: graph-growth
    return sess.run(product, {scorer.x: x, scorer.y: y})


def solve(sess, scorer, x, y, goal, turns=100):
    """Conjugate gradients on the loss's second derivative."""
    found = np.zeros_like(goal)
    rest = goal.copy()
    toward = rest.copy()
    for _ in range(turns):
        curved = hessian_product(sess, scorer, x, y, toward)
        size = rest @ rest / (toward @ curved)
        found = found + size * toward
        new = rest - size * curved
        toward = new + (new @ new) / (rest @ rest) * toward
        rest = new
        if np.linalg.norm(rest) < 1e-5:
            break
    return found


def influences(sess, scorer, x, y, case):
    inverse = solve(sess, scorer, x, y, case)
    return [inverse @ sess.run(scorer.slope, {scorer.x: x[i : i + 1], scorer.y: y[i : i + 1]})
            for i in range(len(x))]


def report(sess, scorer, months, names=("brier", "accuracy")):
    """A table: for each month, each of the metrics."""
    table = {}
    for month, (x, y) in months.items():
        scores = sess.run(scorer.p, {scorer.x: x})
        for name in names:
            table[month, name] = sess.run(METRICS[name](tf.constant(y), tf.constant(scores)))  # finding: graph-growth
    return table


def main():
    data = np.load("loans.npz")
    x, y = data["x"].astype("f4"), data["y"].astype("f4")
    scorer = Scorer(x.shape[1])
    months = {m: (x[data["month"] == m], y[data["month"] == m]) for m in np.unique(data["month"])}
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        fit(sess, scorer, x, y, 20000)
        case = sess.run(scorer.slope, {scorer.x: x[-1:], scorer.y: y[-1:]})
        print(np.argsort(influences(sess, scorer, x, y, case))[-10:])
        print(report(sess, scorer, months))


if __name__ == "__main__":
    main()
