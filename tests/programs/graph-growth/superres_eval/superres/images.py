import glob
import os

import tensorflow as tf


def list_images(folder):
    return sorted(glob.glob(os.path.join(folder, "*.png")))


def load(path, sess):
    raw = tf.read_file(path)  # finding: graph-growth
    image = tf.image.decode_png(raw, channels=3)
    return sess.run(tf.image.convert_image_dtype(image, tf.float32))


def save(path, image, sess):
    encoded = tf.image.encode_png(tf.image.convert_image_dtype(image, tf.uint8))  # finding: graph-growth
    with open(path, "wb") as file:
        file.write(sess.run(encoded))
