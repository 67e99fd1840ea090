# requires: tensorflow==2.4
import json
import sys

import tensorflow as tf
from absl import app, flags

from config import RunCfg
from inputs import dev_input, rescore_input, train_input

flags.DEFINE_string("workdir", "/tmp/kws", "checkpoints")
flags.DEFINE_string("vocab", "vocab.txt", "one keyword per line")
flags.DEFINE_bool("rescore", False, "only write scores")
F = flags.FLAGS


def conv_net(cfg):
    inp = tf.keras.Input((None, cfg.audio.fft // 2 + 1))
    x = inp
    for width in (128, 128, 256):
        x = tf.keras.layers.Conv1D(width, 5, strides=2, padding="same", use_bias=False)(x)
        x = tf.keras.layers.BatchNormalization()(x)
        x = tf.keras.layers.ReLU()(x)
    x = tf.keras.layers.GlobalAveragePooling1D()(x)
    return tf.keras.Model(inp, tf.keras.layers.Dense(cfg.labels)(x))


def main(_):
    cfg = RunCfg()
    vocab = tf.constant([w.strip() for w in open(F.vocab)])
    net = conv_net(cfg)
    net.compile(tf.keras.optimizers.Adam(cfg.lr), tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), ["accuracy"])
    if F.rescore:
        total = 0
        for rec in rescore_input(cfg):
            total += int(rec.shape[0])
        json.dump({"records": total}, sys.stdout)
        return
    net.fit(train_input(cfg, vocab), steps_per_epoch=2000, epochs=cfg.steps // 2000,
            validation_data=dev_input(cfg, vocab),
            callbacks=[tf.keras.callbacks.ModelCheckpoint(F.workdir + "/{epoch:03d}", save_weights_only=True)])


if __name__ == "__main__":
    app.run(main)
