# requires: tensorflow==1.15
"""Cross-validation of a small classifier: each fold has a graph of its own, made once."""
import argparse
import collections

import numpy as np
import tensorflow as tf
from sklearn.model_selection import StratifiedKFold

Model = collections.namedtuple("Model", "x y keep train loss probabilities init scale set_scale")


def build(width, depth, classes):
    x = tf.placeholder(tf.float32, [None, width])
    y = tf.placeholder(tf.int32, [None])
    keep = tf.placeholder_with_default(1.0, [])
    net = x
    for level in range(depth):
        net = tf.layers.dense(net, 256 // (level + 1), activation=tf.nn.relu)
        net = tf.nn.dropout(net, keep_prob=keep)
    logits = tf.layers.dense(net, classes)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    scale = tf.get_variable("scale", [], initializer=tf.ones_initializer(), trainable=False)
    new_scale = tf.placeholder(tf.float32, [])
    train = tf.train.AdamOptimizer(1e-3 * scale).minimize(loss)
    return Model(
        x,
        y,
        keep,
        train,
        loss,
        tf.nn.softmax(logits),
        tf.global_variables_initializer(),
        scale,
        lambda sess, value: scale.load(value, sess),
    )


def train_fold(x, y, val_x, args):
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.set_random_seed(args.seed)
        model = build(x.shape[1], args.depth, int(y.max()) + 1)
        best = tf.train.Saver(max_to_keep=1)
        sess.run(model.init)
        tf.get_default_graph().finalize()
        lowest = np.inf
        for epoch in range(args.epochs):
            model.set_scale(sess, 0.98**epoch)
            order = np.random.permutation(len(x))
            losses = []
            for rows in np.array_split(order, max(1, len(x) // args.batch)):
                feed = {model.x: x[rows], model.y: y[rows], model.keep: 0.7}
                losses.append(sess.run([model.train, model.loss], feed)[1])
            if np.mean(losses) < lowest:
                lowest = np.mean(losses)
                best.save(sess, "fold")
        best.restore(sess, "fold")
        return sess.run(model.probabilities, {model.x: val_x})


def streamed(path, args):
    """The last model, on all rows, read by TensorFlow itself."""
    tf.reset_default_graph()
    rows = tf.data.experimental.make_csv_dataset(path, args.batch, label_name="label", num_epochs=1)
    iterator = tf.data.make_initializable_iterator(rows)
    columns, labels = iterator.get_next()
    x = tf.stack(list(columns.values()), axis=1)
    logits = tf.layers.dense(tf.layers.dense(x, 128, tf.nn.relu), args.classes)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train = tf.train.AdamOptimizer().minimize(loss, tf.train.get_or_create_global_step())
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        for _ in range(args.epochs):
            sess.run(iterator.initializer)
            while True:
                try:
                    sess.run(train)
                except tf.errors.OutOfRangeError:
                    break


def monitored(x, y, args):
    with tf.Graph().as_default():
        model = build(x.shape[1], args.depth, args.classes)
        hooks = [tf.train.StopAtStepHook(num_steps=10000)]
        step = tf.train.get_or_create_global_step()
        count = tf.assign_add(step, 1)
        with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
            while not sess.should_stop():
                rows = np.random.randint(len(x), size=args.batch)
                sess.run([model.train, count], {model.x: x[rows], model.y: y[rows]})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("table")
    parser.add_argument("csv")
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--classes", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    blob = np.load(args.table)
    x, y = blob["x"], blob["y"]
    folds = StratifiedKFold(5, shuffle=True, random_state=args.seed)
    scores = []
    for train_rows, val_rows in folds.split(x, y):
        p = train_fold(x[train_rows], y[train_rows], x[val_rows], args)
        scores.append(np.mean(p.argmax(axis=1) == y[val_rows]))
    print(np.mean(scores), np.std(scores))
    monitored(x, y, args)
    streamed(args.csv, args)


if __name__ == "__main__":
    main()
