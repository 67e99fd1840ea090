import argparse
import functools
import io
import re
import unicodedata

import tensorflow as tf

AUTO = tf.data.experimental.AUTOTUNE


def clean(s):
    s = "".join(c for c in unicodedata.normalize("NFD", s.lower()) if unicodedata.category(c) != "Mn")
    return "<s> " + re.sub(r"[^a-z?.!,]+", " ", s) + " </s>"


def pairs(path):
    lines = io.open(path, encoding="utf8").read().strip().split("\n")
    return zip(*[[clean(w) for w in line.split("\t")[:2]] for line in lines])


def vocabulary(texts, size=10000):
    tok = tf.keras.preprocessing.text.Tokenizer(num_words=size, filters="")
    tok.fit_on_texts(texts)
    return tok


def shift(source, target):
    return (source, target[:-1]), target[1:]


def mask(inputs, target):
    return inputs, target, tf.cast(target != 0, tf.float32)


def word_drop(p, source, target):
    keep = tf.random.uniform(tf.shape(source)) > p
    return tf.where(keep, source, tf.ones_like(source)), target


def pipeline(src, tgt, batch, drop):
    ds = tf.data.Dataset.from_tensor_slices((src, tgt)).cache().shuffle(20000)
    ds = ds.map(functools.partial(word_drop, drop))  # finding: serial-map
    ds = ds.map(shift, AUTO)
    ds = ds.map(mask, AUTO)  # finding: map-before-batch
    return ds.batch(batch, drop_remainder=True).prefetch(AUTO)


def from_text(path, table, batch):
    """Sentences of any length; padded."""

    def encode(line):
        return table.lookup(tf.strings.split(line))

    ds = tf.data.TextLineDataset(path)
    ds = ds.map(encode)  # finding: serial-map
    ds = ds.filter(lambda t: tf.size(t) < 80)
    return ds.padded_batch(batch, [None])


def bucketed(path, table):
    ds = tf.data.TextLineDataset(path).map(lambda l: table.lookup(tf.strings.split(l)), AUTO)
    bucket = tf.data.experimental.bucket_by_sequence_length(tf.size, [10, 20, 40], [64, 32, 16, 8])
    return ds.apply(bucket)


class Translator(tf.keras.Model):
    def __init__(self, vocab, dim=256):
        super().__init__()
        self.emb = tf.keras.layers.Embedding(vocab, dim)
        self.enc = tf.keras.layers.GRU(dim, return_state=True)
        self.dec = tf.keras.layers.GRU(dim, return_sequences=True)
        self.out = tf.keras.layers.Dense(vocab)

    def call(self, inputs):
        source, target = inputs
        _, state = self.enc(self.emb(source))
        return self.out(self.dec(self.emb(target), initial_state=state))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("path")
    p.add_argument("--drop", type=float, default=0.1)
    args = p.parse_args()
    english, other = pairs(args.path)
    toks = [vocabulary(t) for t in (english, other)]
    src, tgt = [
        tf.keras.preprocessing.sequence.pad_sequences(tok.texts_to_sequences(t), 40, padding="post")
        for tok, t in zip(toks, (english, other))
    ]
    model = Translator(10000)
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(pipeline(src, tgt, 64, args.drop), epochs=10)


if __name__ == "__main__":
    main()
