# requires: tensorflow==2.10.0
"""Gradient-based saliency maps of a folder of pictures."""
import glob

import tensorflow as tf

model = tf.keras.applications.VGG16(weights="imagenet")


def saliency(image, label):
    score = tf.function(lambda x: model(x)[:, label])  # finding: compiled-per-call
    with tf.GradientTape() as tape:
        tape.watch(image)
        value = score(image)
    return tf.reduce_max(tf.abs(tape.gradient(value, image)), axis=-1)


def read(path):
    image = tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path)), [224, 224])
    return tf.keras.applications.vgg16.preprocess_input(image[tf.newaxis])


for path in glob.glob("pictures/*.jpg"):
    heat = saliency(read(path), 281)
    tf.io.write_file(path + ".map", tf.io.serialize_tensor(heat))
