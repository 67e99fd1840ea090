import numpy as np
import tensorflow as tf


class BruteForce:
    def __init__(self, model, k):
        self.model, self.k = model, k

    @property
    def embed(self):
        return tf.function(self.model.query)  # finding: compiled-per-call

    def __call__(self, row):
        q = self.embed((row["user"], row["hist"]))
        scores = tf.matmul(q, self.model.catalogue(), transpose_b=True)  # finding: loop-invariant-op
        return tf.math.top_k(scores, self.k).indices


class RecallCallback(tf.keras.callbacks.Callback):
    def __init__(self, holdout, k=100, every=2):
        super().__init__()
        self.holdout, self.k, self.every = holdout, k, every

    def on_epoch_end(self, epoch, logs=None):
        if epoch % self.every:
            return
        index = BruteForce(self.model, self.k)
        hit = [np.any(index(r).numpy() == r["item"].numpy()[:, None], 1) for r in self.holdout]
        recall = np.concatenate(hit).mean()
        print("recall@%d %.4f" % (self.k, recall))


def export_neighbours(model, names, path, k=50):
    table = model.catalogue()
    with open(path, "w") as fh:
        for lo in range(0, model.n_item, 1024):
            sims = tf.matmul(table[lo:lo + 1024], table, transpose_b=True)
            for i, row in enumerate(tf.math.top_k(sims, k + 1).indices.numpy()):
                fh.write(names[lo + i] + "\t" + ",".join(names[row[1:]]) + "\n")
