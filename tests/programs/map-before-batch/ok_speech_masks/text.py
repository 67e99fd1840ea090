import tensorflow as tf

ALPHABET = list(" abcdefghijklmnopqrstuvwxyz'")


class TextEncoder:
    def __init__(self):
        init = tf.lookup.KeyValueTensorInitializer(
            ALPHABET, tf.range(1, len(ALPHABET) + 1, dtype=tf.int64)
        )
        self.table = tf.lookup.StaticHashTable(init, 0)

    def __call__(self, sentence):
        chars = tf.strings.unicode_split(tf.strings.lower(sentence), "UTF-8")
        return self.table.lookup(chars)
