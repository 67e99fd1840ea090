import os
import sys

import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("data", "/data/voices", "where the recordings are")
flags.DEFINE_integer("steps", 20000, "training steps")
FLAGS = flags.FLAGS


def parse(example):
    parsed = tf.parse_single_example(
        example,
        {"wave": tf.FixedLenFeature([16000], tf.float32), "who": tf.FixedLenFeature([], tf.int64)},
    )
    return parsed["wave"] + tf.random_normal([16000], stddev=0.01), parsed["who"]


def batches(pattern, size=64):
    files = tf.data.Dataset.list_files(os.path.join(FLAGS.data, pattern))
    dataset = files.interleave(tf.data.TFRecordDataset, cycle_length=8, num_parallel_calls=8)
    dataset = dataset.map(parse, num_parallel_calls=8).shuffle(1000).repeat().batch(size)
    iterator = dataset.make_one_shot_iterator()
    return iterator.get_next()


def spectrograms(waves):
    frames = tf.signal.stft(waves, 400, 160)
    power = tf.square(tf.abs(frames))
    return tf.log(power + 1e-6)[..., tf.newaxis]


def row_norms(embeddings):
    return tf.map_fn(lambda row: row / tf.norm(row), embeddings)  # finding: row-wise-map


def network(images, speakers):
    x = tf.layers.conv2d(images, 512, 3, padding="same", activation=tf.nn.relu)  # finding: wide-early-conv
    x = tf.layers.conv2d(x, 32, 3, strides=2, activation=tf.nn.relu)
    x = tf.layers.conv2d(x, 64, 3, strides=2, activation=tf.nn.relu)
    x = tf.reduce_mean(x, axis=[1, 2])
    embeddings = row_norms(tf.layers.dense(x, 128))
    return tf.layers.dense(embeddings, speakers)


def count_examples(folder):
    total = 0
    for name in os.listdir(folder):
        for _ in tf.python_io.tf_record_iterator(os.path.join(folder, name)):
            total += 1
    return total


def main(_):
    print("examples:", count_examples(FLAGS.data))
    waves, who = batches("train-*")
    logits = network(spectrograms(waves), 1251)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=who, logits=logits))
    step = tf.train.get_or_create_global_step()
    train = tf.train.AdamOptimizer().minimize(loss, global_step=step)
    hooks = [tf.train.StopAtStepHook(FLAGS.steps), tf.train.NanTensorHook(loss)]
    with tf.train.MonitoredTrainingSession("/tmp/speaker", hooks=hooks) as session:
        while not session.should_stop():
            _, value, number = session.run([train, loss, step])
            if number % 100 == 0:
                sys.stdout.write("%d %f\n" % (number, value))


if __name__ == "__main__":
    tf.app.run()
