"""Calibrate a Keras classifier by temperature scaling and report ECE."""
import argparse
import json

import keras
import tensorflow as tf


def split(path, size, batch_size):
    ds = keras.utils.image_dataset_from_directory(
        path, image_size=(size, size), batch_size=batch_size, shuffle=False, label_mode="int"
    )
    return ds.prefetch(tf.data.AUTOTUNE)


class Collector:
    def __init__(self, model):
        self.model = model
        self.classes = model.output_shape[-1]

    @tf.function(reduce_retracing=True)
    def forward(self, x):
        return tf.cast(self.model(x, training=False), tf.float32)

    def collect(self, ds):
        logits, labels = [], []
        for x, y in ds:
            logits.append(self.forward(x))
            labels.append(tf.cast(y, tf.int32))
        return tf.concat(logits, axis=0), tf.concat(labels, axis=0)


class Temperature:
    def __init__(self, lr=0.05):
        self.log_t = tf.Variable(0.0)
        self.opt = keras.optimizers.Adam(lr)
        self.opt.build([self.log_t])

    @tf.function
    def step(self, logits, labels):
        with tf.GradientTape() as tape:
            scaled = logits / tf.exp(self.log_t)
            nll = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scaled)
            loss = tf.reduce_mean(nll)
        self.opt.apply_gradients([(tape.gradient(loss, self.log_t), self.log_t)])
        return loss

    def fit(self, logits, labels, steps=300):
        for _ in range(steps):
            loss = self.step(logits, labels)
        return float(loss)


def ece(probs, labels, bins=15):
    conf = tf.reduce_max(probs, axis=1)
    hit = tf.cast(tf.equal(tf.argmax(probs, 1, output_type=tf.int32), labels), tf.float32)
    which = tf.minimum(tf.cast(conf * bins, tf.int32), bins - 1)
    n = tf.math.unsorted_segment_sum(tf.ones_like(conf), which, bins)
    gap = tf.abs(tf.math.unsorted_segment_sum(hit - conf, which, bins))
    return float(tf.reduce_sum(gap) / tf.reduce_sum(n))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("model")
    ap.add_argument("--valid", required=True)
    ap.add_argument("--test", required=True)
    ap.add_argument("--size", type=int, default=224)
    ap.add_argument("--batch-size", type=int, default=64)
    args = ap.parse_args()
    collector = Collector(keras.models.load_model(args.model))
    logits, labels = collector.collect(split(args.valid, args.size, args.batch_size))
    scaler = Temperature()
    nll = scaler.fit(logits, labels)
    logits, labels = collector.collect(split(args.test, args.size, args.batch_size))
    t = float(tf.exp(scaler.log_t))
    report = {"temperature": t, "valid_nll": nll}
    report["ece_before"] = ece(tf.nn.softmax(logits), labels)
    report["ece_after"] = ece(tf.nn.softmax(logits / t), labels)
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
