# requires: tensorflow==1.15
import argparse
import glob
import itertools
import os
import time

import tensorflow as tf

N_DENSE, N_CAT = 13, 26
PAIRS = list(itertools.combinations(range(N_CAT), 2))[:60]


class Params(object):
    def __init__(self, **kw):
        self.__dict__.update(kw)


def example_spec():
    spec = {"I%d" % i: tf.io.FixedLenFeature([], tf.float32, 0.0) for i in range(1, N_DENSE + 1)}
    spec.update({"C%d" % i: tf.io.FixedLenFeature([], tf.string, "") for i in range(1, N_CAT + 1)})
    spec["label"] = tf.io.FixedLenFeature([], tf.float32)
    return spec


def decode_row(raw):
    f = tf.io.parse_single_example(raw, example_spec())
    y = f.pop("label")
    dense = tf.stack([tf.math.log1p(tf.nn.relu(f["I%d" % i])) for i in range(1, N_DENSE + 1)], axis=-1)
    cats = tf.stack([tf.strings.to_hash_bucket_fast(f["C%d" % i], 100000) for i in range(1, N_CAT + 1)], axis=-1)
    return (dense, cats), y


def with_crosses(x, y):
    dense, cats = x
    left, right = (tf.strings.as_string(tf.gather(cats, [p[k] for p in PAIRS], axis=1)) for k in (0, 1))
    crossed = tf.strings.to_hash_bucket_fast(tf.strings.join([left, right], "_"), 100000)
    return (dense, tf.concat([cats, crossed + 100000], 1)), y


def feed(files, hp, training):
    ds = tf.data.Dataset.from_tensor_slices(files)
    ds = ds.interleave(tf.data.TFRecordDataset, cycle_length=8, num_parallel_calls=8)
    if training:
        ds = ds.shuffle(hp.batch * 20).repeat()
    ds = ds.map(decode_row, num_parallel_calls=8)  # finding: map-before-batch
    ds = ds.batch(hp.batch, drop_remainder=True)
    return ds.map_with_legacy_function(with_crosses).prefetch(2)  # finding: serial-map


class DeepFM(object):
    def __init__(self, hp, inputs, labels):
        self.hp = hp
        dense, cats = inputs
        with tf.variable_scope("fm", reuse=tf.AUTO_REUSE):
            table = tf.get_variable("emb", [200000, hp.dim])
            e = tf.nn.embedding_lookup(table, cats)
            s = tf.reduce_sum(e, 1)
            fm = 0.5 * tf.reduce_sum(tf.square(s) - tf.reduce_sum(tf.square(e), 1), 1)
            h = tf.concat([dense, tf.reshape(e, [-1, (N_CAT + len(PAIRS)) * hp.dim])], 1)
            for i, units in enumerate(hp.hidden):
                h = tf.layers.dense(h, units, tf.nn.relu, name="fc%d" % i)
            self.logit = fm + tf.squeeze(tf.layers.dense(h, 1, name="out"), 1)
        self.labels = labels
        self.row_loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=self.logit)
        self.loss = tf.reduce_mean(self.row_loss)
        self.step = tf.train.get_or_create_global_step()
        self.train_op = tf.train.AdamOptimizer(hp.lr).minimize(self.loss, self.step)

    def calibration(self):
        p = tf.sigmoid(self.logit)
        return tf.reduce_sum(p) / tf.maximum(tf.reduce_sum(self.labels), 1.0)  # finding: graph-growth


class Monitor(object):
    def __init__(self, model, every):
        self.model, self.every, self.t0 = model, every, time.time()

    def after(self, sess, n, loss):
        if n % self.every:
            return
        ratio = sess.run(self.model.calibration())  # finding: graph-growth
        print("step %d loss %.4f calib %.3f  %.1fs" % (n, loss, ratio, time.time() - self.t0))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--data", required=True)
    ap.add_argument("--steps", type=int, default=200000)
    ap.add_argument("--out", default="/tmp/deepfm")
    a = ap.parse_args()
    hp = Params(batch=4096, dim=16, hidden=(400, 400, 400), lr=1e-3)
    it = feed(sorted(glob.glob(os.path.join(a.data, "*.tfrecord"))), hp, True).make_one_shot_iterator()
    x, y = it.get_next()
    net = DeepFM(hp, x, y)
    hooks = [Monitor(net, 200)]
    saver = tf.train.Saver(max_to_keep=3)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        n = 0
        while n < a.steps:
            _, l, n = sess.run([net.train_op, net.loss, net.step])
            for h in hooks:
                h.after(sess, n, l)
            if n % 5000 == 0:
                saver.save(sess, os.path.join(a.out, "model"), global_step=n)


if __name__ == "__main__":
    main()
