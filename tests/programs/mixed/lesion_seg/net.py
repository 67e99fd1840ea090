# requires: tensorflow==1.15
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras import layers


def dice(y, p):
    inter = K.sum(y * p)
    return (2.0 * inter + 1.0) / (K.sum(y) + K.sum(p) + 1.0)


def dice_loss(y, p):
    return 1.0 - dice(y, p)


def unet(side=256, base=32):
    inp = tf.keras.Input((side, side, 2))
    skips, x = [], inp
    for k in range(4):
        x = layers.Conv2D(base << k, 3, padding="same", activation="relu")(x)
        skips.append(x)
        x = layers.MaxPool2D()(x)
    x = layers.Conv2D(base << 4, 3, padding="same", activation="relu")(x)
    for k in reversed(range(4)):
        x = layers.Conv2DTranspose(base << k, 2, strides=2)(x)
        x = layers.Concatenate()([x, skips[k]])
        x = layers.Conv2D(base << k, 3, padding="same", activation="relu")(x)
    return tf.keras.Model(inp, layers.Conv2D(1, 1, activation="sigmoid")(x))


def modest_config(fraction=0.6):
    cfg = tf.ConfigProto()
    cfg.gpu_options.per_process_gpu_memory_fraction = fraction
    cfg.allow_soft_placement = True
    return cfg
