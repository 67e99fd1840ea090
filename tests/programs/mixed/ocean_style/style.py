"""Style of old sea charts for satellite pictures, in plain TensorFlow 2."""
import argparse
import functools
import pathlib
import typing

import tensorflow as tf

STYLE_LAYERS = ("block1_conv1", "block2_conv1", "block3_conv1", "block4_conv1")


def load(path, size=512):
    picture = tf.image.decode_image(tf.io.read_file(str(path)), 3, expand_animations=False)
    return tf.image.resize(tf.image.convert_image_dtype(picture, tf.float32), [size, size])[None]


def gram(features):
    pixels = tf.cast(tf.shape(features)[1] * tf.shape(features)[2], tf.float32)
    return tf.einsum("bijc,bijd->bcd", features, features) / pixels


class Extractor(tf.keras.Model):
    def __init__(self):
        super().__init__()
        vgg = tf.keras.applications.VGG16(include_top=False)
        vgg.trainable = False
        self.vgg = tf.keras.Model(vgg.input, [vgg.get_layer(n).output for n in STYLE_LAYERS])

    def call(self, pictures):
        return self.vgg(tf.keras.applications.vgg16.preprocess_input(pictures * 255.0))


class Callback:
    def on_step(self, step, losses):
        """Called after each step."""


class Printer(Callback):
    def __init__(self, every):
        self.every = every

    def on_step(self, step, losses):
        if step % self.every == 0:
            print(step, {k: float(v) for k, v in losses.items()})


def compiled(**options):
    def decorate(function):
        return tf.function(function, **options)

    return decorate


@compiled(reduce_retracing=True)
def total_variation(picture):
    return tf.reduce_sum(tf.image.total_variation(picture))


def fit(content, style, extractor, steps, callbacks=()):
    picture = tf.Variable(content)
    optimizer = tf.keras.optimizers.Adam(0.02)
    wanted = extractor(content)[-1]
    for step in range(steps):
        style_grams = [gram(layer) for layer in extractor(style)]  # finding: loop-invariant-op
        with tf.GradientTape() as tape:
            layers = extractor(picture)
            losses = {
                "style": tf.add_n(
                    [tf.reduce_mean((gram(a) - b) ** 2) for a, b in zip(layers, style_grams)]
                ),
                "content": 1e-2 * tf.reduce_mean((layers[-1] - wanted) ** 2),
                "variation": 1e-6 * total_variation(picture),
            }
            loss = tf.add_n(list(losses.values()))
        optimizer.apply_gradients([(tape.gradient(loss, picture), picture)])
        picture.assign(tf.clip_by_value(picture, 0.0, 1.0))
        for callback in callbacks:
            callback.on_step(step, losses)
    return picture


class Stylizer(typing.NamedTuple):
    network: tf.keras.Model
    extractor: Extractor

    def train(self, dataset, style, epochs=2):
        optimizer = tf.keras.optimizers.Adam(1e-3)
        for _ in range(epochs):
            for batch in dataset:
                step = tf.function(functools.partial(self.step, optimizer))  # finding: compiled-per-call
                loss = step(batch, style)
            tf.print(loss)

    def step(self, optimizer, batch, style):
        targets = [gram(layer) for layer in self.extractor(style)]
        with tf.GradientTape() as tape:
            made = self.network(batch, training=True)
            pairs = zip(self.extractor(made), targets)
            loss = tf.add_n([tf.reduce_mean((gram(a) - b) ** 2) for a, b in pairs])
        weights = self.network.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return loss


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("content", type=pathlib.Path)
    parser.add_argument("style", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=1500)
    args = parser.parse_args(argv)
    made = fit(load(args.content), load(args.style), Extractor(), args.steps, [Printer(100)])
    tf.keras.utils.save_img("styled.png", made[0].numpy())


if __name__ == "__main__":
    main()
