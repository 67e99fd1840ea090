"""Recall@k for the visual search backbone."""
import argparse
import csv

import keras
import tensorflow as tf


class Gallery:
    def __init__(self, dim):
        self.dim = dim
        self._parts, self._ids = [], []

    def add(self, vecs, ids):
        vecs = tf.math.l2_normalize(vecs, axis=-1)
        self._parts.append(vecs)
        self._ids.append(ids)

    def freeze(self):
        self.bank = tf.concat(self._parts, axis=0)
        self.ids = tf.concat(self._ids, axis=0)

    def lookup(self, vecs, k):
        sims = tf.matmul(tf.math.l2_normalize(vecs, axis=-1), self.bank, transpose_b=True)
        return tf.gather(self.ids, tf.math.top_k(sims, k).indices)


def records(pattern, size, batch):
    spec = {"jpeg": tf.io.FixedLenFeature([], tf.string), "sku": tf.io.FixedLenFeature([], tf.int64)}

    def parse(blob):
        ex = tf.io.parse_single_example(blob, spec)
        img = tf.image.resize(tf.io.decode_jpeg(ex["jpeg"], channels=3), (size, size))
        return img, ex["sku"]

    files = sorted(tf.io.gfile.glob(pattern))
    ds = tf.data.TFRecordDataset(files, num_parallel_reads=tf.data.AUTOTUNE)
    return ds.map(parse, num_parallel_calls=tf.data.AUTOTUNE).batch(batch).prefetch(tf.data.AUTOTUNE)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("backbone")
    ap.add_argument("--gallery", default="gs://acme-search/gallery-*.tfrecord")
    ap.add_argument("--queries", default="gs://acme-search/queries-*.tfrecord")
    ap.add_argument("--size", type=int, default=224)
    ap.add_argument("--batch", type=int, default=128)
    ap.add_argument("--k", type=int, nargs="+", default=[1, 10, 100])
    args = ap.parse_args()

    net = keras.saving.load_model(args.backbone, compile=False)

    @tf.function(reduce_retracing=True)
    def embed(x):
        return net(x, training=False)

    gallery = Gallery(net.output_shape[-1])
    for images, skus in records(args.gallery, args.size, args.batch):
        gallery.add(embed(images), skus)
    gallery.freeze()

    recall = {k: keras.metrics.Mean() for k in args.k}
    for images, skus in records(args.queries, args.size, args.batch):
        found = gallery.lookup(embed(images), max(args.k)) == skus[:, None]
        for k, m in recall.items():
            m.update_state(tf.reduce_any(found[:, :k], axis=1))
    with open("recall.csv", "w", newline="") as fh:
        w = csv.writer(fh)
        w.writerows((k, float(m.result())) for k, m in recall.items())


if __name__ == "__main__":
    main()
