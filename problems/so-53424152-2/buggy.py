"""Protein windows in record files feed a linear secondary-structure model."""

import tempfile
from pathlib import Path

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1

WINDOWS = 8192
WIDTH = 15
BATCH = 128
SCRATCH = tempfile.TemporaryDirectory()
COLUMNS = {
    "residues": tf.io.FixedLenFeature([WIDTH], tf.int64),
    "charge": tf.io.FixedLenFeature([WIDTH], tf.float32),
    "structure": tf.io.FixedLenFeature([], tf.int64),
}


def record_file():
    path = Path(SCRATCH.name) / "windows.tfrecord"
    if not path.exists():
        rng = np.random.default_rng(38)
        with tf.io.TFRecordWriter(str(path)) as writer:
            for _ in range(WINDOWS):
                residues = rng.integers(0, 20, WIDTH)
                window = tf.train.Example()
                window.features.feature["residues"].int64_list.value.extend(residues)
                window.features.feature["charge"].float_list.value.extend(rng.normal(size=WIDTH))
                window.features.feature["structure"].int64_list.value.append(residues[7] % 3)
                writer.write(window.SerializeToString())
    return str(path)


def parse(record):
    content = tf.io.parse_single_example(record, COLUMNS)
    one_hot = tf.one_hot(content["residues"], 20)
    inputs = tf.concat([one_hot, content["charge"][:, tf.newaxis]], axis=-1)
    return inputs, content["structure"]


def input_pipeline(path):
    dataset = tf.data.TFRecordDataset(path)
    dataset = dataset.shuffle(1000, seed=5)
    dataset = dataset.map(parse, num_parallel_calls=2)  # finding
    dataset = dataset.batch(BATCH, drop_remainder=True)
    dataset = dataset.repeat().prefetch(2)
    return v1.data.make_one_shot_iterator(dataset)


def main():
    with tf.Graph().as_default(), v1.Session() as session:
        v1.set_random_seed(1)
        inputs, structure = input_pipeline(record_file()).get_next()
        weights = tf.Variable(tf.zeros([WIDTH * 21, 3]))
        logits = tf.matmul(tf.reshape(inputs, [BATCH, WIDTH * 21]), weights)
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=structure, logits=logits)
        )
        step = v1.train.GradientDescentOptimizer(0.5).minimize(loss)
        session.run(v1.global_variables_initializer())
        return [session.run([loss, step])[0] for _ in range(WINDOWS // BATCH)]


if __name__ == "__main__":
    print(main())
