"""Masked average of token embeddings for padded chat messages."""

import tensorflow as tf

MESSAGES = 64
LENGTH = 24
WORDS = 500
WIDTH = 16
PADDING = 0


def padded_messages():
    generator = tf.random.Generator.from_seed(63)
    tokens = generator.uniform((MESSAGES, LENGTH), 1, WORDS, dtype=tf.int32)
    lengths = generator.uniform((MESSAGES, 1), 4, LENGTH, dtype=tf.int32)
    return tf.where(tf.range(LENGTH)[tf.newaxis, :] < lengths, tokens, PADDING)


def mask_of(tokens):
    flat = tf.reshape(tokens, [-1])
    ones = tf.map_fn(  # finding
        lambda token: tf.cond(
            tf.equal(token, PADDING), lambda: tf.constant(0.0), lambda: tf.constant(1.0)
        ),
        flat,
        fn_output_signature=tf.float32,
    )
    return tf.reshape(ones, tf.shape(tokens))


def averaged(table, tokens):
    mask = mask_of(tokens)
    vectors = tf.gather(table, tokens) * mask[..., tf.newaxis]
    return tf.reduce_sum(vectors, axis=1) / tf.reduce_sum(mask, axis=1, keepdims=True)


def main():
    table = tf.random.stateless_normal((WORDS, WIDTH), seed=(6, 3))
    tokens = padded_messages()
    return averaged(table, tokens).numpy()


if __name__ == "__main__":
    print(main()[0])
