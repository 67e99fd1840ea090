# requires: tensorflow==2.2.*
"""Keyword spotting, kept alive on compat.v1."""
import argparse
import os

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

WORDS = ["yes", "no", "up", "down", "left", "right", "on", "off"]


def list_files(root):
    paths, labels = [], []
    for index, word in enumerate(WORDS):
        for name in sorted(os.listdir(os.path.join(root, word))):
            paths.append(os.path.join(root, word, name))
            labels.append(index)
    return paths, labels


def make_features(window, stride, bins):
    def features(path, label):
        wav = tf.io.read_file(path)
        audio, rate = tf.audio.decode_wav(wav, desired_channels=1, desired_samples=16000)
        stft = tf.signal.stft(tf.squeeze(audio, -1), window, stride)
        mel = tf.signal.linear_to_mel_weight_matrix(bins, stft.shape[-1], 16000)
        power = tf.matmul(tf.abs(stft), mel)
        return tf.log(power + 1e-6), label

    return features


def make_iterator(root, batch_size, fn):
    paths, labels = list_files(root)
    data = tf.data.Dataset.from_tensor_slices((paths, labels))
    data = data.shuffle(len(paths)).repeat()
    data = data.map_with_legacy_function(fn)  # finding: serial-map
    data = data.batch(batch_size, drop_remainder=True).prefetch(1)
    return tf.data.make_one_shot_iterator(data)


def network(x, keep):
    x = tf.expand_dims(x, -1)
    x = tf.layers.conv2d(x, 64, [20, 8], activation=tf.nn.relu, padding="same")
    x = tf.nn.dropout(x, keep)
    x = tf.layers.max_pooling2d(x, 2, 2)
    x = tf.layers.conv2d(x, 64, [10, 4], activation=tf.nn.relu, padding="same")
    x = tf.reduce_mean(x, [1, 2])
    return tf.layers.dense(x, len(WORDS))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("--batch_size", type=int, default=100)
    parser.add_argument("--steps", type=int, default=18000)
    args = parser.parse_args()

    fn = make_features(480, 160, 40)
    images, labels = make_iterator(args.root, args.batch_size, fn).get_next()
    keep = tf.placeholder_with_default(1.0, [])
    logits = network(images, keep)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), tf.cast(labels, tf.int64)), tf.float32))
    train_op = tf.train.AdamOptimizer(1e-3).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(args.steps):
            _, value, acc = sess.run([train_op, loss, accuracy], {keep: 0.5})
            if step % 400 == 0:
                print(step, value, acc)


if __name__ == "__main__":
    main()
