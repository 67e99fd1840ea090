"""Contrastive pre-training of the image tower (custom loop)."""
import argparse
import csv
import os

import keras
import tensorflow as tf


class Recorder:
    fields = ("step", "loss", "norm", "lr")

    def __init__(self, path):
        self.fh = open(path, "w", newline="")
        self.writer = csv.DictWriter(self.fh, self.fields)
        self.writer.writeheader()

    def __call__(self, step, **values):
        self.writer.writerow({"step": step, **{k: float(v) for k, v in values.items()}})


def tower(size, dim):
    base = keras.applications.ResNet50V2(include_top=False, weights=None, input_shape=(size, size, 3), pooling="avg")
    return keras.Model(base.input, keras.layers.Dense(dim)(base.output))


class Pretrainer:
    def __init__(self, net, opt, temp):
        self.net, self.opt, self.temp = net, opt, temp
        self.opt.build(net.trainable_variables)

    @tf.function
    def step(self, a, b):
        with tf.GradientTape() as tape:
            za = tf.math.l2_normalize(self.net(a, training=True), -1)
            zb = tf.math.l2_normalize(self.net(b, training=True), -1)
            logits = tf.matmul(za, zb, transpose_b=True) / self.temp
            y = tf.range(tf.shape(logits)[0])
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))
        grads = tape.gradient(loss, self.net.trainable_variables)
        grads, norm = tf.clip_by_global_norm(grads, 5.0)
        self.opt.apply_gradients(zip(grads, self.net.trainable_variables))
        return loss, norm


def views(root, size, batch):
    files = tf.data.Dataset.list_files(os.path.join(root, "*.jpg"), shuffle=True)

    def one(img):
        img = tf.image.random_crop(img, (size, size, 3))
        return tf.image.random_brightness(tf.image.random_flip_left_right(img), 0.3)

    def load(path):
        img = tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path), channels=3), (size + 32, size + 32)) / 255.0
        return one(img), one(img)

    ds = files.repeat().map(load, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(batch, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root")
    ap.add_argument("--steps", type=int, default=100_000)
    ap.add_argument("--batch", type=int, default=256)
    args = ap.parse_args()
    opt = keras.optimizers.AdamW(keras.optimizers.schedules.CosineDecay(1e-3, args.steps))
    trainer = Pretrainer(tower(160, 128), opt, temp=0.1)
    record = Recorder("pretrain.csv")
    for i, (a, b) in enumerate(views(args.root, 160, args.batch).take(args.steps)):
        loss, norm = trainer.step(a, b)
        if i % 100 == 0:
            record(i, loss=loss, norm=norm, lr=opt.learning_rate)
        if i % 5000 == 0:
            trainer.net.save(f"tower_{i:06d}.keras")


if __name__ == "__main__":
    main()
