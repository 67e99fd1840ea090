"""Board positions of chess, packed in bits, are unpacked on their way to a value network."""

import tempfile
import time
from pathlib import Path

import numpy as np
import tensorflow as tf

POSITIONS = 160
BATCH = 16
SCRATCH = tempfile.TemporaryDirectory()


def record_file():
    path = Path(SCRATCH.name) / "games.tfrecord"
    if not path.exists():
        rng = np.random.default_rng(45)
        with tf.io.TFRecordWriter(str(path)) as writer:
            for number in range(POSITIONS):
                feature = {
                    "game": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
                    "planes": tf.train.Feature(
                        bytes_list=tf.train.BytesList(value=[rng.bytes(96)])
                    ),
                }
                features = tf.train.Features(feature=feature)
                writer.write(tf.train.Example(features=features).SerializeToString())
    return str(path)


def look_up_result(game):
    """Asks the archive how the game ended; an answer takes some milliseconds."""
    time.sleep(0.015)
    return np.float32(int(game) * 7 % 3 - 1)


def parse(record):
    content = tf.io.parse_single_example(
        record,
        {
            "game": tf.io.FixedLenFeature([], tf.int64),
            "planes": tf.io.FixedLenFeature([], tf.string),
        },
    )
    packed = tf.cast(tf.io.decode_raw(content["planes"], tf.uint8), tf.int32)
    bits = tf.bitwise.bitwise_and(tf.bitwise.right_shift(packed[:, None], tf.range(8)), 1)
    result = tf.numpy_function(look_up_result, [content["game"]], tf.float32)
    return tf.cast(tf.reshape(bits, [12, 64]), tf.float32), tf.ensure_shape(result, [])


def make_iterator(path):
    options = tf.data.Options()
    options.threading.private_threadpool_size = 8
    dataset = tf.data.TFRecordDataset([path]).with_options(options)
    dataset = dataset.shuffle(64, seed=3)
    dataset = dataset.map(parse, num_parallel_calls=8)
    dataset = dataset.batch(BATCH, drop_remainder=True)
    return tf.compat.v1.data.make_initializable_iterator(dataset.prefetch(1))


def main():
    with tf.Graph().as_default():
        tf.compat.v1.set_random_seed(6)
        iterator = make_iterator(record_file())
        planes, results = iterator.get_next()
        weights = tf.compat.v1.get_variable(
            "weights", [12 * 64], initializer=tf.compat.v1.zeros_initializer()
        )
        value = tf.tanh(tf.linalg.matvec(tf.reshape(planes, [BATCH, 12 * 64]), weights))
        loss = tf.reduce_mean(tf.square(value - results))
        step = tf.compat.v1.train.GradientDescentOptimizer(0.01).minimize(loss)
        losses = []
        with tf.compat.v1.Session() as session:
            session.run([tf.compat.v1.global_variables_initializer(), iterator.initializer])
            for _ in range(POSITIONS // BATCH):
                losses.append(session.run([loss, step])[0])
        return losses


if __name__ == "__main__":
    print(main())
