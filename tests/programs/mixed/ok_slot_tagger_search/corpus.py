import collections

import tensorflow as tf


def read_conll(path):
    words, tags = [], []
    with open(path) as fh:
        for line in fh:
            line = line.strip()
            if line:
                w, t = line.split()
                words.append(w)
                tags.append(t)
            elif words:
                yield " ".join(words), " ".join(tags)
                words, tags = [], []


def vocabulary(rows, keep):
    c = collections.Counter(w for r in rows for w in r.split())
    return [w for w, _ in c.most_common(keep)]


class Corpus(object):
    def __init__(self, path, keep=20000):
        pairs = list(read_conll(path))
        self.x, self.y = [p[0] for p in pairs], [p[1] for p in pairs]
        self.words, self.tags = vocabulary(self.x, keep), vocabulary(self.y, 1000)

    def tables(self):
        w = tf.contrib.lookup.index_table_from_tensor(self.words, num_oov_buckets=1)
        t = tf.contrib.lookup.index_table_from_tensor(self.tags, default_value=0)
        return w, t

    def dataset(self, lo, hi, batch, train):
        w, t = self.tables()

        def encode(x, y):
            a = tf.string_split([x]).values
            return w.lookup(a), t.lookup(tf.string_split([y]).values), tf.size(a)

        ds = tf.data.Dataset.from_tensor_slices((self.x[lo:hi], self.y[lo:hi]))
        if train:
            ds = ds.shuffle(10000).repeat()
        opts = {"num_parallel_calls": 8}
        ds = ds.map(encode, **opts)
        return ds.padded_batch(batch, ([None], [None], [])).prefetch(1)
