# requires: tensorflow==2.6.*
"""Neural style transfer. One picture for each style image of a folder.

usage: ok_style_transfer_cli.py content.jpg styles/ out/
"""
import sys
import time
from pathlib import Path

import numpy as np
import tensorflow as tf
from PIL import Image

STYLE_LAYERS = [f"block{i}_conv1" for i in range(1, 6)]
CONTENT_LAYERS = ["block5_conv2"]
STYLE_WEIGHT, CONTENT_WEIGHT, TV_WEIGHT = 1e-2, 1e4, 30


def load_image(path, size=512):
    image = Image.open(path).convert("RGB")
    scale = size / max(image.size)
    image = image.resize([round(side * scale) for side in image.size])
    return tf.constant(np.asarray(image)[None] / 255.0, tf.float32)


def gram(x):
    result = tf.einsum("bijc,bijd->bcd", x, x)
    shape = tf.shape(x)
    return result / tf.cast(shape[1] * shape[2], tf.float32)


class Extractor(tf.keras.Model):
    def __init__(self):
        super().__init__()
        vgg = tf.keras.applications.VGG19(include_top=False, weights="imagenet")
        vgg.trainable = False
        names = STYLE_LAYERS + CONTENT_LAYERS
        self.vgg = tf.keras.Model([vgg.input], [vgg.get_layer(n).output for n in names])

    def call(self, inputs):
        outputs = self.vgg(tf.keras.applications.vgg19.preprocess_input(inputs * 255.0))
        style = outputs[: len(STYLE_LAYERS)]
        return [gram(s) for s in style], outputs[len(STYLE_LAYERS) :]


def stylise(extractor, content, style, epochs=10, steps=100):
    """The graph closes over this style's targets, and is used a thousand times."""
    style_targets, _ = extractor(style)
    _, content_targets = extractor(content)
    image = tf.Variable(content)
    optimizer = tf.optimizers.Adam(0.02, beta_1=0.99, epsilon=1e-1)

    @tf.function
    def train_step():
        with tf.GradientTape() as tape:
            styles, contents = extractor(image)
            loss = STYLE_WEIGHT * tf.add_n(
                [tf.reduce_mean((a - b) ** 2) for a, b in zip(styles, style_targets)]
            )
            loss += CONTENT_WEIGHT * tf.add_n(
                [tf.reduce_mean((a - b) ** 2) for a, b in zip(contents, content_targets)]
            )
            loss += TV_WEIGHT * tf.reduce_sum(tf.image.total_variation(image))
        optimizer.apply_gradients([(tape.gradient(loss, image), image)])
        image.assign(tf.clip_by_value(image, 0.0, 1.0))
        return loss

    for epoch in range(epochs):
        started = time.time()
        for _ in range(steps):
            loss = train_step()
        print(f"  epoch {epoch}: {float(loss):.3e} ({time.time() - started:.1f} s)")
    return image


def save(image, path):
    array = np.clip(image.numpy()[0] * 255, 0, 255).astype(np.uint8)
    Image.fromarray(array).save(path)


def main(content_path, style_folder, out):
    extractor = Extractor()
    content = load_image(content_path)
    Path(out).mkdir(exist_ok=True)
    for path in sorted(Path(style_folder).glob("*.jpg")):
        print(path.name)
        save(stylise(extractor, content, load_image(path)), Path(out) / path.name)


if __name__ == "__main__":
    main(*sys.argv[1:4])
