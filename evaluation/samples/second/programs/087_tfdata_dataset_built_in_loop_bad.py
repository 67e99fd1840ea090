"""Unsupervised domain adaptation: synthetic -> street scenes."""
import argparse

import keras
import tensorflow as tf

AUTO = tf.data.AUTOTUNE


class Domains:
    def __init__(self, source, target, batch, side):
        self.batch, self.side = batch, side
        self.source_files = sorted(tf.io.gfile.glob(source))
        self.target_files = sorted(tf.io.gfile.glob(target))

    def _image(self, blob):
        ex = tf.io.parse_single_example(
            blob, {"png": tf.io.FixedLenFeature([], tf.string), "y": tf.io.FixedLenFeature([], tf.int64, -1)}
        )
        img = tf.image.resize(tf.io.decode_png(ex["png"], 3), (self.side, self.side)) / 255.0
        return img, ex["y"]

    def _pipeline(self, files):
        ds = tf.data.TFRecordDataset(files, num_parallel_reads=AUTO).shuffle(1000).repeat()
        return ds.map(self._image, num_parallel_calls=AUTO).batch(self.batch, drop_remainder=True).prefetch(AUTO)

    def source(self):
        return self._pipeline(self.source_files)

    def target_batch(self):
        images, _ = next(iter(self._pipeline(self.target_files)))
        return images


class Adapter:
    def __init__(self, side, classes):
        self.body = keras.applications.EfficientNetV2B0(include_top=False, input_shape=(side, side, 3), pooling="avg")
        self.cls, self.dom = keras.layers.Dense(classes), keras.layers.Dense(1)
        self.cls.build((None, self.body.output_shape[-1]))
        self.dom.build((None, self.body.output_shape[-1]))
        self.vars = self.body.trainable_variables + self.cls.trainable_variables
        self.o1, self.o2 = keras.optimizers.Adam(1e-4), keras.optimizers.Adam(1e-4)
        self.o1.build(self.vars)
        self.o2.build(self.dom.trainable_variables)

    @tf.function
    def step(self, xs, ys, xt, weight):
        with tf.GradientTape(persistent=True) as tape:
            fs, ft = self.body(xs, training=True), self.body(xt, training=True)
            ce = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(ys, self.cls(fs)))
            ds, dt = self.dom(fs), self.dom(ft)
            adv = tf.reduce_mean(tf.nn.softplus(-ds)) + tf.reduce_mean(tf.nn.softplus(dt))
            main = ce - weight * adv
        self.o1.apply_gradients(zip(tape.gradient(main, self.vars), self.vars))
        dv = self.dom.trainable_variables
        self.o2.apply_gradients(zip(tape.gradient(adv, dv), dv))
        return ce, adv


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--source", default="/data/synthia/*.tfrecord")
    ap.add_argument("--target", default="/data/street/*.tfrecord")
    ap.add_argument("--steps", type=int, default=30_000)
    args = ap.parse_args()
    data = Domains(args.source, args.target, batch=32, side=224)
    net = Adapter(224, classes=16)
    for i, (xs, ys) in enumerate(data.source().take(args.steps)):
        ce, adv = net.step(xs, ys, data.target_batch(), tf.constant(0.1))
        if i % 200 == 0:
            print(i, float(ce), float(adv))
    net.body.save("adapted.keras")


if __name__ == "__main__":
    main()
