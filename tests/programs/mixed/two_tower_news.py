"""Two-tower retrieval on click logs (TF 2.21).

The impressions are ~900 gzipped CSV parts a day; vocabulary ids come from
lookup tables that the nightly job writes.
"""
import argparse
import pathlib

import tensorflow as tf

COLUMNS = ["user_id", "article_id", "category", "dwell"]
DEFAULTS = [tf.constant("", tf.string), tf.constant("", tf.string), tf.constant("", tf.string), tf.constant(0.0)]


class Vocab:
    def __init__(self, path, oov=1):
        init = tf.lookup.TextFileInitializer(
            str(path), tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER)
        self.table = tf.lookup.StaticVocabularyTable(init, oov)

    def __len__(self):
        return int(self.table.size())

    def __call__(self, s):
        return self.table.lookup(s)


class ImpressionReader:
    def __init__(self, root, users, items, *, batch=8192):
        self.root = pathlib.Path(root)
        self.users = users
        self.items = items
        self.batch = batch

    def _lines(self, part):
        return tf.data.TextLineDataset(part, compression_type="GZIP").skip(1)

    def _split(self, line):
        return dict(zip(COLUMNS, tf.io.decode_csv(line, DEFAULTS)))

    def _ids(self, row):
        return {"user": self.users(row["user_id"]), "item": self.items(row["article_id"]), "w": tf.math.log1p(row["dwell"])}

    def parts(self, day):
        return sorted(str(p) for p in (self.root / day).glob("part-*.csv.gz"))

    def day(self, day):
        parts = tf.data.Dataset.from_tensor_slices(self.parts(day)).shuffle(1000)
        lines = parts.interleave(self._lines, cycle_length=8, block_length=512)  # finding: serial-map
        rows = lines.shuffle(200_000).batch(self.batch, drop_remainder=True)
        rows = rows.map(self._split)
        rows = rows.map(self._ids)  # finding: serial-map
        return rows.prefetch(tf.data.AUTOTUNE)

    def candidates(self, path):
        ids = tf.data.TextLineDataset(path).batch(4096)
        return ids.map(self.items, num_parallel_calls=tf.data.AUTOTUNE, deterministic=True)


class TwoTower(tf.keras.Model):
    def __init__(self, n_users, n_items, dim=64):
        super().__init__()
        self.u = tf.keras.layers.Embedding(n_users, dim)
        self.i = tf.keras.layers.Embedding(n_items, dim)

    def call(self, batch):
        return tf.matmul(self.u(batch["user"]), self.i(batch["item"]), transpose_b=True)


def sampled_softmax(logits, weight):
    labels = tf.range(tf.shape(logits)[0])
    ce = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return tf.reduce_sum(ce * weight) / (tf.reduce_sum(weight) + 1e-6)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--root", required=True)
    ap.add_argument("--days", nargs="+", required=True)
    ap.add_argument("--dim", type=int, default=64)
    args = ap.parse_args()

    users, items = Vocab(f"{args.root}/users.txt"), Vocab(f"{args.root}/articles.txt")
    reader = ImpressionReader(args.root, users, items)
    model = TwoTower(len(users), len(items), args.dim)
    opt = tf.keras.optimizers.Adagrad(0.05)

    @tf.function
    def step(batch):
        with tf.GradientTape() as tape:
            loss = sampled_softmax(model(batch), batch["w"])
        grads = tape.gradient(loss, model.trainable_variables)
        opt.apply_gradients(zip(grads, model.trainable_variables))
        return loss

    for day in args.days:
        for n, batch in enumerate(reader.day(day)):
            loss = step(batch)
            if n % 500 == 0:
                tf.print(day, n, loss)
    vecs = [model.i(b) for b in reader.candidates(f"{args.root}/live.txt")]
    model.save_weights(f"{args.root}/export.weights.h5")
    print("candidates", sum(int(v.shape[0]) for v in vecs))


if __name__ == "__main__":
    main()
