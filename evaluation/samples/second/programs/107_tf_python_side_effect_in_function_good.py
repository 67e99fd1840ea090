import argparse

import keras
import tensorflow as tf


class Codebook(tf.Module):
    def __init__(self, codes, dim, sweeps=20):
        super().__init__()
        self.table = tf.Variable(tf.random.normal((codes, dim)), name="table")
        self.codes, self.sweeps = codes, sweeps

    def distances(self, z):
        t = self.table
        return tf.reduce_sum(z**2, -1, keepdims=True) - 2 * tf.matmul(z, t, transpose_b=True) + tf.reduce_sum(t**2, -1)

    def lloyd(self, z):
        self.table.assign(tf.random.shuffle(z)[: self.codes])
        for _ in tf.range(self.sweeps):
            idx = tf.argmin(self.distances(z), -1)
            total = tf.math.unsorted_segment_sum(z, idx, self.codes)
            count = tf.math.unsorted_segment_sum(tf.ones_like(z[:, :1]), idx, self.codes)
            self.table.assign(tf.where(count > 0, total / tf.maximum(count, 1.0), self.table))

    def __call__(self, z):
        return tf.gather(self.table, tf.argmin(self.distances(z), -1))


class Compressor:
    def __init__(self, n_in, dim=32, codes=512):
        act = "gelu"
        self.enc = keras.Sequential([keras.Input((n_in,)), keras.layers.Dense(256, act), keras.layers.Dense(dim)])
        self.dec = keras.Sequential([keras.Input((dim,)), keras.layers.Dense(256, act), keras.layers.Dense(n_in)])
        self.book = Codebook(codes, dim)
        self.vars = self.enc.trainable_variables + self.dec.trainable_variables + [self.book.table]
        self.opt = keras.optimizers.Adam(1e-3)
        self.opt.build(self.vars)
        self.ready = tf.Variable(False, trainable=False)

    @tf.function
    def step(self, x):
        if not self.ready:
            self.book.lloyd(self.enc(x))
            self.ready.assign(True)
        with tf.GradientTape() as tape:
            z = self.enc(x, training=True)
            q = self.book(z)
            commit = tf.reduce_mean((tf.stop_gradient(q) - z) ** 2) + tf.reduce_mean((q - tf.stop_gradient(z)) ** 2)
            out = self.dec(z + tf.stop_gradient(q - z), training=True)
            loss = tf.reduce_mean((out - x) ** 2) + 0.25 * commit
        self.opt.apply_gradients(zip(tape.gradient(loss, self.vars), self.vars))
        return loss


def vectors(pattern, n_in, batch):
    ds = tf.data.FixedLengthRecordDataset(
        sorted(tf.io.gfile.glob(pattern)), record_bytes=4 * n_in, num_parallel_reads=tf.data.AUTOTUNE
    )
    ds = ds.shuffle(100_000).repeat().batch(batch, drop_remainder=True)
    return ds.map(lambda b: tf.io.decode_raw(b, tf.float32), num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("pattern")
    ap.add_argument("--n-in", type=int, default=768)
    ap.add_argument("--steps", type=int, default=20_000)
    args = ap.parse_args()
    model = Compressor(args.n_in)
    for i, x in enumerate(vectors(args.pattern, args.n_in, 4096).take(args.steps)):
        loss = model.step(x)
        if i % 500 == 0:
            print(i, float(loss))
    model.enc.save("enc.keras")
    model.dec.save("dec.keras")


if __name__ == "__main__":
    main()
