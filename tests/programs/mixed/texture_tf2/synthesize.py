"""Make a texture that looks like an example."""
import click
import tensorflow as tf

import losses

LAYERS = ["block1_conv1", "block2_conv1", "block3_conv1"]


def extractor():
    vgg = tf.keras.applications.VGG19(include_top=False, weights="imagenet")
    vgg.trainable = False
    return tf.keras.Model(vgg.input, [vgg.get_layer(name).output for name in LAYERS])


def read(path, side):
    image = tf.io.decode_image(tf.io.read_file(path), channels=3, expand_animations=False)
    return tf.image.resize(image, [side, side])[None] / 255.0


def pyramid(example, levels):
    return [tf.image.resize(example, [64 * 2**level, 64 * 2**level]) for level in range(levels)]


def synthesize(example, steps, rate):
    net = extractor()
    targets = losses.grams(net(example))
    optimizer = tf.keras.optimizers.Adam(rate)
    image = tf.Variable(tf.random.uniform(example.shape))
    for step in range(steps):  # finding: eager-loop
        with tf.GradientTape() as tape:
            loss = losses.style_loss(net(image), targets)
            loss += 1e-2 * losses.total_variation(image)
            loss += losses.histogram_loss(image, example)
        gradient = tape.gradient(loss, image)
        optimizer.apply_gradients([(gradient, image)])
        image.assign(tf.clip_by_value(image, 0.0, 1.0))
        if step % 100 == 0:
            reference = tf.image.resize(example, [512, 512])
            tf.summary.image("result", tf.concat([image, reference[:, : image.shape[1]]], 0), step)
    return image


def compare(paths, example):
    scores = []
    for path in paths:
        image = read(path, 256)
        luminance = tf.image.rgb_to_grayscale(example)
        scores.append(tf.image.ssim(tf.image.rgb_to_grayscale(image), luminance, 1.0))
    return scores


@click.command()
@click.argument("path")
@click.argument("others", nargs=-1)
@click.option("--steps", default=1000)
@click.option("--rate", default=0.02)
def main(path, others, steps, rate):
    example = read(path, 256)
    results = [synthesize(example, steps, rate) for _ in range(4)]
    print(len(results), len(pyramid(example, 3)), sorted(compare(others, example))[:10])


if __name__ == "__main__":
    main()
