# requires: tensorflow==1.14.*
"""Auto-tagging of songs (MagnaTagATune) -- graph mode, trained on the lab's old cluster."""

import os
import time

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

N_TAGS = 50
SAMPLES = 59049


class Songs(object):
    def __init__(self, folder, batch_size, split):
        self.folder = folder
        self.batch_size = batch_size
        self.split = split
        self.files = tf.gfile.Glob(os.path.join(folder, split, "*.tfrecord"))
        self.dataset = tf.data.TFRecordDataset(self.files)
        self._build()

    def _example(self, record):
        item = tf.parse_single_example(record, {
            "raw": tf.FixedLenFeature([], tf.string),
            "tags": tf.VarLenFeature(tf.int64),
        })
        audio = tf.to_float(tf.decode_raw(item["raw"], tf.int16)) / 32768.0
        start = tf.random_uniform([], 0, tf.shape(audio)[0] - SAMPLES, dtype=tf.int32)
        tags = tf.sparse_to_indicator(item["tags"], N_TAGS)
        return audio[start:start + SAMPLES], tf.to_float(tags)

    def _build(self):
        if self.split == "train":
            self.dataset = self.dataset.shuffle(2000).repeat()
        self.dataset = self.dataset.map_with_legacy_function(self._example)  # finding: serial-map
        self.dataset = self.dataset.batch(self.batch_size).prefetch(4)

    def next_batch(self):
        return tf.data.make_one_shot_iterator(self.dataset).get_next()


def sample_cnn(audio, training):
    x = tf.expand_dims(audio, -1)
    x = tf.layers.conv1d(x, 128, 3, strides=3, padding="valid", activation=tf.nn.relu)
    for width in (128, 128, 256, 256, 256, 256, 256, 512):
        x = tf.layers.conv1d(x, width, 3, padding="same")
        x = tf.nn.relu(tf.layers.batch_normalization(x, training=training))
        x = tf.layers.max_pooling1d(x, 3, 3)
    x = tf.layers.dropout(tf.layers.flatten(x), 0.5, training=training)
    return tf.layers.dense(x, N_TAGS)


def spectra(files):
    """Mean spectra of songs, for the clustering in the appendix."""
    def one(path):
        wave = tf.audio.decode_wav(tf.read_file(path), desired_channels=1).audio
        return tf.reduce_mean(tf.abs(tf.signal.stft(wave[:, 0], 1024, 512)), axis=0)

    ds = tf.data.Dataset.from_tensor_slices(files).map(one)  # finding: serial-map
    batch = tf.data.make_one_shot_iterator(ds.batch(32)).get_next()
    out = []
    with tf.Session() as sess:
        try:
            while True:
                out.append(sess.run(batch))
        except tf.errors.OutOfRangeError:
            return np.concatenate(out)


def train(folder, steps):
    audio, tags = Songs(folder, 23, "train").next_batch()
    logits = sample_cnn(audio, True)
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=tags, logits=logits))
    step = tf.train.get_or_create_global_step()
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = tf.train.MomentumOptimizer(0.01, 0.9, use_nesterov=True).minimize(loss, step)
    with tf.train.MonitoredTrainingSession(checkpoint_dir="ckpt") as sess:
        began = time.time()
        for i in range(steps):
            _, value = sess.run([train_op, loss])
            if i % 100 == 0:
                print(i, value, "%.1f s" % (time.time() - began))


if __name__ == "__main__":
    train("mtat", 200000)
