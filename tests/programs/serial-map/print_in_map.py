# requires: tensorflow==2.14.0
"""Looks for broken pictures while it trains."""
import tensorflow as tf


def load(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    if tf.reduce_max(image) == 0:
        tf.print("black picture:", path)
    return tf.image.resize(image, [96, 96])


def black_or_not(pattern):
    files = tf.data.Dataset.list_files(pattern)
    images = files.map(load)  # finding: serial-map
    return images.batch(64).prefetch(tf.data.AUTOTUNE)


if __name__ == "__main__":
    encoder = tf.keras.applications.MobileNetV2(weights=None, include_top=False)
    for batch in black_or_not("thumbs/*.jpg"):
        print(encoder(batch).shape)
