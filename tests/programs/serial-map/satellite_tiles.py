# requires: tensorflow==2.5.*
"""Land cover from Sentinel tiles; pipeline stages listed in a config."""
import glob

import tensorflow as tf

BANDS = 4


def read(path):
    raw = tf.io.decode_png(tf.io.read_file(path), channels=BANDS, dtype=tf.uint16)
    mask = tf.io.decode_png(tf.io.read_file(tf.strings.regex_replace(path, "image", "mask")), channels=1)
    return raw, mask


def crop(size):
    def fn(image, mask):
        both = tf.concat([tf.cast(image, tf.float32), tf.cast(mask, tf.float32)], -1)
        both = tf.image.random_crop(both, (size, size, BANDS + 1))
        return both[..., :BANDS], tf.cast(both[..., BANDS], tf.int32)

    return fn


def rotate(image, mask):
    k = tf.random.uniform((), 0, 4, tf.int32)
    return tf.image.rot90(image, k), tf.image.rot90(mask[..., None], k)[..., 0]


CONFIG = {"train": [crop(256), rotate], "valid": [crop(256)]}


def pipeline(pattern, split, batch=16):
    ds = tf.data.Dataset.from_tensor_slices(sorted(glob.glob(pattern)))
    ds = ds.map(read)  # finding: serial-map
    for stage in CONFIG[split]:
        ds = ds.map(stage)  # note: serial-map
    return ds.batch(batch, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def net(classes):
    x = inp = tf.keras.Input((256, 256, BANDS))
    skips = []
    for width in (32, 64, 128):
        x = tf.keras.layers.Conv2D(width, 3, padding="same", activation="relu")(x)
        skips.append(x)
        x = tf.keras.layers.MaxPooling2D()(x)
    for width, skip in zip((128, 64, 32), reversed(skips)):
        x = tf.keras.layers.Conv2DTranspose(width, 2, 2)(x)
        x = tf.keras.layers.Conv2D(width, 3, padding="same", activation="relu")(tf.concat([x, skip], -1))
    return tf.keras.Model(inp, tf.keras.layers.Conv2D(classes, 1)(x))


def main():
    model = net(9)
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    model.fit(pipeline("tiles/train/image_*.png", "train"), validation_data=pipeline("tiles/valid/image_*.png", "valid"), epochs=40)
    model.save("landcover")


if __name__ == "__main__":
    main()
