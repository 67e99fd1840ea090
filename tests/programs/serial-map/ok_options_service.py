# requires: tensorflow==2.4.*
"""Depth estimation; the pipeline's parallelism is given by options."""
import argparse
import logging
import pathlib

import tensorflow as tf

log = logging.getLogger("depth")
CALLS = 12


def pipeline_options():
    options = tf.data.Options()
    options.experimental_deterministic = False
    options.experimental_optimization.map_parallelization = True
    options.experimental_optimization.autotune = True
    return options


def decode(rgb, depth):
    image = tf.image.decode_png(tf.io.read_file(rgb), channels=3)
    target = tf.image.decode_png(tf.io.read_file(depth), channels=1, dtype=tf.uint16)
    image = tf.image.convert_image_dtype(image, tf.float32)
    return tf.image.resize(image, (240, 320)), tf.image.resize(target, (120, 160))


def to_metres(image, depth):
    return image, tf.clip_by_value(tf.cast(depth, tf.float32) / 1000.0, 0.0, 10.0)


def training_data(root, batch_size):
    rgb = sorted(str(p) for p in pathlib.Path(root, "rgb").glob("*.png"))
    depth = sorted(str(p) for p in pathlib.Path(root, "depth").glob("*.png"))
    log.info("%d pairs", len(rgb))
    data = tf.data.Dataset.from_tensor_slices((rgb, depth)).shuffle(len(rgb))
    data = data.map(decode)
    data = data.batch(batch_size).map(to_metres)
    return data.with_options(pipeline_options()).prefetch(2)


def validation_data(root, batch_size):
    records = tf.data.Dataset.list_files(str(root) + "/*.tfrecord", shuffle=False)
    data = records.interleave(tf.data.TFRecordDataset, 4, 1, CALLS)
    spec = {"rgb": tf.io.FixedLenFeature([], tf.string), "depth": tf.io.FixedLenFeature([], tf.string)}

    def parse(record):
        example = tf.io.parse_single_example(record, spec)
        image = tf.image.decode_png(example["rgb"], channels=3)
        depth = tf.image.decode_png(example["depth"], channels=1, dtype=tf.uint16)
        return tf.image.resize(tf.cast(image, tf.float32) / 255.0, (240, 320)), tf.image.resize(depth, (120, 160))

    return data.map(parse, CALLS).batch(batch_size).map(to_metres, CALLS).prefetch(2)


def smoke():
    """Shapes only, with four made-up images."""
    fake = tf.data.Dataset.range(4).map(lambda i: tf.fill([240, 320, 3], tf.cast(i, tf.float32)))
    model = build()
    for batch in fake.batch(2):
        log.info("out %s", model(batch).shape)


def build():
    base = tf.keras.applications.MobileNetV2(input_shape=(240, 320, 3), include_top=False)
    x = base.output
    for width in (256, 128, 64, 32):
        x = tf.keras.layers.Conv2DTranspose(width, 3, 2, "same", activation="relu")(x)
    x = tf.keras.layers.Conv2D(1, 3, padding="same")(x)
    return tf.keras.Model(base.input, tf.image.resize(x, (120, 160)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--epochs", type=int, default=20)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    if args.smoke:
        smoke()
        return
    model = build()
    model.compile("adam", "mae")
    model.fit(training_data(args.root / "train", 16),
              validation_data=validation_data(args.root / "valid", 16), epochs=args.epochs)


if __name__ == "__main__":
    main()
