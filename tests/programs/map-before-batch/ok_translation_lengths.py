# requires: tensorflow==2.8.*
"""English to Portuguese: sentences of many lengths, bucketed and padded."""
import tensorflow as tf
import tensorflow_datasets as tfds
import tensorflow_text as text

MAX_LEN = 64
BATCH = 64
AUTO = tf.data.AUTOTUNE


class Tokens:
    def __init__(self, path):
        self.tokenizer = text.SentencepieceTokenizer(open(path, "rb").read(), add_bos=True, add_eos=True)

    def encode(self, src, dst):
        return self.tokenizer.tokenize(src), self.tokenizer.tokenize(dst)


def short_enough(src, dst):
    return tf.logical_and(tf.size(src) <= MAX_LEN, tf.size(dst) <= MAX_LEN)


def teacher_forcing(src, dst):
    return (src, dst[:-1]), dst[1:]


def length(pair, _target):
    return tf.maximum(tf.size(pair[0]), tf.size(pair[1]))


def make(split, tokens, training):
    ds = tfds.load("ted_hrlr_translate/pt_to_en", split=split, as_supervised=True)
    ds = ds.map(tokens.encode, num_parallel_calls=AUTO).filter(short_enough).cache()
    if training:
        ds = ds.shuffle(20000)
    ds = ds.map(teacher_forcing, num_parallel_calls=AUTO)
    ds = ds.bucket_by_sequence_length(
        length, bucket_boundaries=[8, 16, 32], bucket_batch_sizes=[256, 128, 64, 32])
    return ds.prefetch(AUTO)


def padded_valid(tokens):
    ds = tfds.load("ted_hrlr_translate/pt_to_en", split="validation", as_supervised=True)
    ds = ds.map(tokens.encode, num_parallel_calls=AUTO)
    ds = ds.map(teacher_forcing, num_parallel_calls=AUTO)
    return ds.padded_batch(BATCH)


def build(vocab, units=256):
    src = tf.keras.Input([None], dtype=tf.int64)
    dst = tf.keras.Input([None], dtype=tf.int64)
    embed = tf.keras.layers.Embedding(vocab, units, mask_zero=True)
    enc, state = tf.keras.layers.GRU(units, return_sequences=True, return_state=True)(embed(src))
    dec = tf.keras.layers.GRU(units, return_sequences=True)(embed(dst), initial_state=state)
    ctx = tf.keras.layers.Attention()([dec, enc])
    out = tf.keras.layers.Dense(vocab)(tf.concat([dec, ctx], -1))
    return tf.keras.Model([src, dst], out)


if __name__ == "__main__":
    tokens = Tokens("pt_en.model")
    model = build(8000)
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(make("train", tokens, True), validation_data=padded_valid(tokens), epochs=20)
