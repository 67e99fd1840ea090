import tensorflow as tf
from tensorflow.keras import layers


def double_conv(x, filters):
    for _ in range(2):
        x = layers.Conv2D(filters, 3, padding="same", kernel_initializer="he_normal")(x)
        x = layers.BatchNormalization()(x)
        x = layers.ReLU()(x)
    return x


def unet(size, filters=(32, 64, 128, 256)):
    inputs = layers.Input((*size, 3))
    x, skips = inputs, []
    for width in filters:
        x = double_conv(x, width)
        skips.append(x)
        x = layers.MaxPooling2D()(x)
    x = double_conv(x, filters[-1] * 2)
    for width, skip in zip(reversed(filters), reversed(skips)):
        x = layers.Conv2DTranspose(width, 2, strides=2)(x)
        x = double_conv(layers.Concatenate()([x, skip]), width)
    return tf.keras.Model(inputs, layers.Conv2D(1, 1, activation="sigmoid")(x))


def dice_loss(y_true, y_pred, smooth=1.0):
    axes = (1, 2, 3)
    overlap = tf.reduce_sum(y_true * y_pred, axes)
    total = tf.reduce_sum(y_true, axes) + tf.reduce_sum(y_pred, axes)
    return 1.0 - tf.reduce_mean((2.0 * overlap + smooth) / (total + smooth))
