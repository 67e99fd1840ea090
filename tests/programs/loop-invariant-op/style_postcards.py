# requires: tensorflow==2.3.*
"""Turns the museum's postcards into paintings; runs over night on one card."""
import glob
import os

import numpy as np
import tensorflow as tf
from absl import app, flags

FLAGS = flags.FLAGS
flags.DEFINE_string("style", "hokusai.jpg", "the painting")
flags.DEFINE_string("content", "postcards/*.jpg", "glob of photos")
flags.DEFINE_string("out", "out", "folder")
flags.DEFINE_integer("steps", 800, "steps per postcard")

CONTENT = ["block5_conv2"]
STYLE = ["block1_conv1", "block2_conv1", "block3_conv1", "block4_conv1", "block5_conv1"]


def read(path, side=512):
    img = tf.image.decode_jpeg(tf.io.read_file(path), channels=3)
    img = tf.image.convert_image_dtype(img, tf.float32)
    return tf.image.resize(img, (side, side))[tf.newaxis]


def vgg_taps(names):
    vgg = tf.keras.applications.VGG19(include_top=False, weights="imagenet")
    vgg.trainable = False
    return tf.keras.Model(vgg.input, [vgg.get_layer(n).output for n in names])


def gram(t):
    n = tf.cast(tf.shape(t)[1] * tf.shape(t)[2], tf.float32)
    return tf.linalg.einsum("bijc,bijd->bcd", t, t) / n


class Painter:
    def __init__(self, style_path, style_weight=1e-2, content_weight=1e4, tv_weight=30.0):
        self.taps = vgg_taps(STYLE + CONTENT)
        self.style_image = read(style_path)
        self.style_weight = style_weight
        self.content_weight = content_weight
        self.tv_weight = tv_weight

    def features(self, image):
        x = tf.keras.applications.vgg19.preprocess_input(image * 255.0)
        outs = self.taps(x)
        return outs[:len(STYLE)], outs[len(STYLE):]

    def loss(self, image, photo):
        style, content = self.features(image)
        style_ref, _ = self.features(self.style_image)  # note: loop-invariant-op
        _, content_ref = self.features(photo)
        ls = tf.add_n([tf.reduce_mean((gram(a) - gram(b)) ** 2) for a, b in zip(style, style_ref)])
        lc = tf.add_n([tf.reduce_mean((a - b) ** 2) for a, b in zip(content, content_ref)])
        tv = tf.reduce_sum(tf.image.total_variation(image))
        return self.style_weight * ls + self.content_weight * lc + self.tv_weight * tv

    def paint(self, photo, steps):
        image = tf.Variable(photo)
        opt = tf.optimizers.Adam(learning_rate=0.02, beta_1=0.99, epsilon=1e-1)
        for step in range(steps):
            with tf.GradientTape() as tape:
                value = self.loss(image, photo)
            grad = tape.gradient(value, image)
            opt.apply_gradients([(grad, image)])
            image.assign(tf.clip_by_value(image, 0.0, 1.0))
            if step % 200 == 0:
                print(step, float(value))
        return image


def main(_):
    os.makedirs(FLAGS.out, exist_ok=True)
    painter = Painter(FLAGS.style)
    for path in sorted(glob.glob(FLAGS.content)):
        result = painter.paint(read(path), FLAGS.steps)
        array = np.array(result[0] * 255, np.uint8)
        tf.io.write_file(os.path.join(FLAGS.out, os.path.basename(path)), tf.io.encode_jpeg(array))


if __name__ == "__main__":
    app.run(main)
