# requires: tensorflow==1.13.*
"""Keyword spotting with an Estimator."""
import glob
import os

import tensorflow as tf

WORDS = ["yes", "no", "up", "down", "left", "right", "on", "off", "stop", "go"]
RATE = 16000
tf.logging.set_verbosity(tf.logging.INFO)


def list_files(split):
    with open("speech/%s_list.txt" % split) as f:
        keep = set(line.strip() for line in f)
    out = [p for w in WORDS for p in sorted(glob.glob("speech/%s/*.wav" % w)) if os.path.join(w, os.path.basename(p)) in keep]
    return out, [WORDS.index(p.split("/")[1]) for p in out]


def spectrogram(path, label):
    raw = tf.read_file(path)
    wave, _ = tf.contrib.ffmpeg.decode_audio(raw, "wav", RATE, 1), RATE
    wave = tf.reshape(wave, [-1])[:RATE]
    wave = tf.pad(wave, [[0, RATE - tf.shape(wave)[0]]])
    spec = tf.abs(tf.contrib.signal.stft(wave, 640, 320, 1024))
    mel = tf.contrib.signal.linear_to_mel_weight_matrix(40, 513, RATE, 20, 7600)
    return (tf.log(tf.matmul(spec, mel) + 1e-6) + 5.0) / 4.0, label


def input_fn(split, batch, train):
    def fn():
        paths, labels = list_files(split)
        ds = tf.data.Dataset.from_tensor_slices((paths, labels))
        if train:
            ds = ds.shuffle(len(paths)).repeat(20)
        ds = ds.map(spectrogram, 1)  # finding: serial-map
        return ds.batch(batch).prefetch(1)

    return fn


def model_fn(features, labels, mode):
    x = tf.expand_dims(tf.reshape(features, [-1, 49, 40]), -1)
    for width in (32, 64, 64):
        x = tf.layers.conv2d(x, width, 3, padding="same", activation=tf.nn.relu)
        x = tf.layers.max_pooling2d(x, 2, 2)
    x = tf.layers.dropout(tf.layers.flatten(x), 0.5, training=mode == tf.estimator.ModeKeys.TRAIN)
    logits = tf.layers.dense(x, len(WORDS))
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=tf.argmax(logits, 1))
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train = tf.train.AdamOptimizer(1e-3).minimize(loss, tf.train.get_global_step())
    metrics = {"accuracy": tf.metrics.accuracy(labels, tf.argmax(logits, 1))}
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train, eval_metric_ops=metrics)


def main(_):
    estimator = tf.estimator.Estimator(model_fn, "runs/kws")
    train = tf.estimator.TrainSpec(input_fn("training", 64, True))
    valid = tf.estimator.EvalSpec(input_fn("validation", 64, False), steps=None, throttle_secs=120)
    tf.estimator.train_and_evaluate(estimator, train, valid)


if __name__ == "__main__":
    tf.app.run()
