import sys

import numpy as np
import tensorflow as tf

from lines import chunks, read, timed
from sentences import Encoder, encode_once, similarity


def index(path):
    encoder = Encoder()
    with timed("index"):
        return encoder.encode(chunks(read(path), 256))


def index_slowly(path):
    return np.concatenate([encode_once(chunk) for chunk in chunks(read(path), 256)])


def best_matches(questions, answers):
    matches = []
    with tf.Session() as sess:
        for question in questions:
            scores = similarity(sess, question[None], answers)
            matches.append(int(scores.argmax()))
    return matches


def best_matches_numpy(questions, answers):
    answers = answers / np.linalg.norm(answers, axis=1, keepdims=True)
    return [int((answers @ q).argmax()) for q in questions]


def pipeline(path, batch):
    vocabulary = tf.contrib.lookup.index_table_from_file("vocab.txt", num_oov_buckets=1)
    ds = tf.data.TextLineDataset(path)
    ds = ds.map(lambda line: tf.string_split([line]).values, num_parallel_calls=4)
    ds = ds.map(vocabulary.lookup, 4)
    ds = ds.padded_batch(batch, [None])
    return ds.prefetch(1).make_initializable_iterator()


def run_pipeline(path):
    iterator = pipeline(path, 64)
    ids = iterator.get_next()
    longest = tf.shape(ids)[1]
    with tf.Session() as sess:
        sess.run([iterator.initializer, tf.tables_initializer()])
        best = 0
        while True:
            try:
                best = max(best, sess.run(longest))
            except tf.errors.OutOfRangeError:
                return best


if __name__ == "__main__":
    np.save("index.npy", index(sys.argv[1]))
