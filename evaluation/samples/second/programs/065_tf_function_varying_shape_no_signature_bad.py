import argparse
import itertools

import keras
import tensorflow as tf
from keras import layers

PAD = 0


def tagger(vocab, n_tags, dim):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Embedding(vocab, dim, mask_zero=True)(ids)
    x = layers.Bidirectional(layers.LSTM(dim, return_sequences=True))(x)
    return keras.Model(ids, layers.Dense(n_tags)(x))


def sentences(path):
    """Lines of `id:tag id:tag ...`."""
    ds = tf.data.TextLineDataset(path)

    def split(line):
        pairs = tf.strings.split(tf.strings.split(line), ":")
        flat = tf.strings.to_number(pairs.to_tensor(), tf.int32)
        return flat[:, 0], flat[:, 1]

    return ds.map(split, num_parallel_calls=tf.data.AUTOTUNE)


class Loop:
    def __init__(self, model, lr):
        self.model = model
        self.opt = keras.optimizers.Adam(lr)
        self.opt.build(model.trainable_variables)
        self.loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
        self.mean = keras.metrics.Mean()
        self.step = tf.function(self._step)

    def _step(self, ids, tags):
        weight = tf.cast(ids != PAD, tf.float32)
        with tf.GradientTape() as tape:
            per_token = self.loss(tags, self.model(ids, training=True))
            value = tf.reduce_sum(per_token * weight) / tf.reduce_sum(weight)
        grads = tape.gradient(value, self.model.trainable_variables)
        self.opt.apply_gradients(zip(grads, self.model.trainable_variables))
        self.mean.update_state(value)

    def epoch(self, data):
        self.mean.reset_state()
        for ids, tags in data:
            self.step(ids, tags)
        return float(self.mean.result())


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("corpus")
    ap.add_argument("--vocab", type=int, default=60_000)
    ap.add_argument("--tags", type=int, default=17)
    ap.add_argument("--batch", type=int, default=64)
    ap.add_argument("--patience", type=int, default=3)
    args = ap.parse_args()
    data = (
        sentences(args.corpus)
        .shuffle(50_000)
        .padded_batch(args.batch, drop_remainder=True)
        .prefetch(tf.data.AUTOTUNE)
    )
    loop = Loop(tagger(args.vocab, args.tags, 256), 1e-3)
    best, stale = float("inf"), 0
    for epoch in itertools.count():
        value = loop.epoch(data)
        print(f"epoch {epoch}: {value:.4f}")
        stale = 0 if value < best - 1e-3 else stale + 1
        best = min(best, value)
        if stale >= args.patience:
            break
    loop.model.save("tagger.keras")


if __name__ == "__main__":
    main()
