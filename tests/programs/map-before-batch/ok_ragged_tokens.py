# requires: tensorflow==2.11.1
import tensorflow as tf

MAX_WORDS = 400


def to_bytes(text):
    codes = tf.io.decode_raw(tf.strings.lower(text), tf.uint8)
    return tf.cast(codes[:MAX_WORDS], tf.int32) + 1


def texts(files, batch_size):
    lines = tf.data.TextLineDataset(files)
    codes = lines.map(to_bytes, num_parallel_calls=tf.data.AUTOTUNE)
    return codes.padded_batch(batch_size, padded_shapes=[None]).prefetch(1)


def main():
    embedding = tf.keras.layers.Embedding(257, 16, mask_zero=True)
    for batch in texts(["reviews.txt"], 32):
        print(embedding(batch).shape)


if __name__ == "__main__":
    main()
