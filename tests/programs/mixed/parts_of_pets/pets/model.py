import tensorflow as tf
from tensorflow.keras import layers


def down(x, filters):
    x = layers.Conv2D(filters, 3, strides=2, padding="same")(x)
    x = layers.BatchNormalization()(x)
    return layers.ReLU()(x)


def up(x, skip, filters):
    x = layers.Conv2DTranspose(filters, 3, strides=2, padding="same")(x)
    x = layers.BatchNormalization()(x)
    return layers.Concatenate()([layers.ReLU()(x), skip])


def unet(size=112, classes=3):
    inputs = tf.keras.Input((size, size, 3))
    skips, x = [], inputs
    for filters in (32, 64, 128):
        skips.append(x)
        x = down(x, filters)
    for filters, skip in zip((64, 32, 16), reversed(skips)):
        x = up(x, skip, filters)
    return tf.keras.Model(inputs, layers.Conv2D(classes, 1)(x))
