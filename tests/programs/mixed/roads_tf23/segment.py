"""Road segmentation, U-Net, one file."""
import argparse
import contextlib
import functools
import pathlib
import time

import numpy as np
import tensorflow as tf

AUTOTUNE = tf.data.experimental.AUTOTUNE


@contextlib.contextmanager
def timed(label):
    start = time.perf_counter()
    yield
    print("%s: %.1fs" % (label, time.perf_counter() - start))


def load_pair(image_path, mask_path, size):
    image = tf.image.decode_png(tf.io.read_file(image_path), 3)
    mask = tf.image.decode_png(tf.io.read_file(mask_path), 1)
    image = tf.image.resize(image, size)
    mask = tf.image.resize(mask, size, method="nearest")
    return image, mask


def flip(image, mask):
    if tf.random.uniform(()) > 0.5:
        image = tf.image.flip_left_right(image)
        mask = tf.image.flip_left_right(mask)
    return image, mask


def to_float(image, mask):
    image = tf.cast(image, tf.float32) / 127.5 - 1.0
    mask = tf.cast(mask > 127, tf.int32)
    return image, mask


def weigh(image, mask):
    weights = tf.where(mask > 0, 4.0, 1.0)
    return image, mask, weights


def parallel(fn):
    def apply(ds):
        return ds.map(fn, num_parallel_calls=AUTOTUNE)  # finding: map-before-batch

    return apply


def training_set(folder, size, batch):
    images = sorted(map(str, (folder / "img").iterdir()))
    masks = sorted(map(str, (folder / "mask").iterdir()))
    loader = functools.partial(load_pair, size=size)
    ds = (
        tf.data.Dataset.from_tensor_slices((images, masks))
        .shuffle(len(images))
        .map(loader)  # finding: serial-map
        .cache()
        .map(flip, num_parallel_calls=AUTOTUNE)
        .map(to_float, num_parallel_calls=AUTOTUNE)  # finding: map-before-batch
        .apply(parallel(weigh))
        .batch(batch)
        .prefetch(AUTOTUNE)
    )
    return ds


def volumes(folder, batch):
    def slices(path):
        def load(p):
            return np.load(p.decode())["ct"].astype(np.float32)

        block = tf.numpy_function(load, [path], tf.float32)
        return tf.data.Dataset.from_tensor_slices(tf.ensure_shape(block, [None, 512, 512]))

    files = tf.data.Dataset.list_files(str(folder / "*.npz"))
    ds = files.flat_map(slices)
    ds = ds.map(lambda s: tf.clip_by_value(s, -1000.0, 400.0), AUTOTUNE)  # finding: map-before-batch
    ds = ds.map(lambda s: s[..., tf.newaxis], AUTOTUNE)
    return ds.batch(batch)  # finding: missing-prefetch


def interleaved(folder, batch):
    files = tf.data.Dataset.list_files(str(folder / "*.tfrec"))
    ds = files.interleave(tf.data.TFRecordDataset, 16, 1)  # finding: serial-map
    ds = ds.batch(batch)
    spec = {"x": tf.io.FixedLenFeature([64], tf.float32)}
    return ds.map(lambda r: tf.io.parse_example(r, spec)["x"], AUTOTUNE)


def crops(ds, side, batch):
    """Positions differ from image to image."""

    def cut(image, mask):
        both = tf.concat([image, tf.cast(mask, tf.float32)], -1)
        both = tf.image.random_crop(both, [side, side, 4])
        return both[..., :3], both[..., 3:]

    return ds.unbatch().map(cut, num_parallel_calls=AUTOTUNE).batch(batch)


def blurred(ds, batch, kernel):
    def blur(image, mask):
        image = tf.nn.depthwise_conv2d(image[None], kernel, [1, 1, 1, 1], "SAME")[0]
        return image, mask

    ds = ds.unbatch()
    ds = ds.map(blur, num_parallel_calls=AUTOTUNE)
    return ds.batch(batch)


def unet(size):
    inputs = tf.keras.Input((*size, 3))
    x, skips = inputs, []
    for width in (32, 64, 128):
        x = tf.keras.layers.Conv2D(width, 3, padding="same", activation="relu")(x)
        skips.append(x)
        x = tf.keras.layers.MaxPool2D()(x)
    for width, skip in zip((128, 64, 32), reversed(skips)):
        x = tf.keras.layers.Conv2DTranspose(width, 2, 2)(x)
        x = tf.concat([x, skip], -1)
    return tf.keras.Model(inputs, tf.keras.layers.Conv2D(2, 1)(x))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--size", type=int, nargs=2, default=(256, 256))
    args = parser.parse_args()
    ds = training_set(args.folder, tuple(args.size), 8)
    model = unet(tuple(args.size))
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(True))
    with timed("fit"):
        model.fit(ds, epochs=40)
    for batch in volumes(args.folder / "ct", 16):
        model.predict_on_batch(tf.repeat(batch, 3, -1))
    for batch in interleaved(args.folder / "rec", 256):
        print(batch.shape)


if __name__ == "__main__":
    main()
