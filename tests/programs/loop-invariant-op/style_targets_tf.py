# requires: tensorflow>=2.10
"""Neural style transfer, eager TensorFlow 2."""

import argparse

import tensorflow as tf

STYLE = ["block1_conv1", "block2_conv1", "block3_conv1", "block4_conv1"]
CONTENT = ["block4_conv2"]


def load(path, side=512):
    image = tf.image.decode_image(tf.io.read_file(path), channels=3, expand_animations=False)
    return tf.image.resize(tf.cast(image, tf.float32), (side, side))[None]


def features():
    vgg = tf.keras.applications.VGG19(include_top=False, weights="imagenet")
    vgg.trainable = False
    return tf.keras.Model(vgg.input, [vgg.get_layer(n).output for n in STYLE + CONTENT])


def gram(x):
    n = tf.cast(tf.shape(x)[1] * tf.shape(x)[2], tf.float32)
    return tf.einsum("bijc,bijd->bcd", x, x) / n


class Transfer:
    def __init__(self, content, style, weight=1e-2):
        self.extract = features()
        self.content = content
        self.style = style
        self.weight = weight
        self.optimizer = tf.keras.optimizers.Adam(0.02)

    def targets(self):
        outs = self.extract(self.style)
        return [gram(o) for o in outs[: len(STYLE)]], self.extract(self.content)[len(STYLE) :]

    def loss(self, image):
        style_targets, content_targets = self.targets()
        outs = self.extract(image)
        style = tf.add_n([tf.reduce_mean((gram(o) - t) ** 2) for o, t in zip(outs, style_targets)])
        content = tf.add_n([tf.reduce_mean((o - t) ** 2) for o, t in zip(outs[len(STYLE) :], content_targets)])
        return self.weight * style + content

    def step(self, image):
        with tf.GradientTape() as tape:
            loss = self.loss(image)
        gradient = tape.gradient(loss, image)
        self.optimizer.apply_gradients([(gradient, image)])
        image.assign(tf.clip_by_value(image, 0.0, 255.0))
        return loss

    def run(self, steps):
        image = tf.Variable(self.content)
        for i in range(steps):
            loss = self.step(image)  # note: loop-invariant-op
            if i % 100 == 0:
                tf.print(i, loss)
        return image


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("content")
    parser.add_argument("style")
    parser.add_argument("--steps", type=int, default=2000)
    args = parser.parse_args()
    result = Transfer(load(args.content), load(args.style)).run(args.steps)
    tf.keras.utils.save_img("out.png", result[0])


if __name__ == "__main__":
    main()
