import keras
from keras import layers


def conv(x, filters, size, stride):
    x = layers.Conv1D(filters, size, strides=stride, padding="same", use_bias=False)(x)
    x = layers.LayerNormalization()(x)
    return layers.Activation("gelu")(x)


def build(cfg):
    inputs = keras.Input((cfg.length, 1))
    x = conv(inputs, 16, 25, 5)
    x = conv(x, 32, 9, 3)
    x = conv(x, 32, 5, 2)
    x = conv(x, 64, 5, 2)
    x = layers.GlobalAveragePooling1D()(x)
    x = layers.Dense(64, activation="gelu")(x)
    outputs = layers.Dense(len(cfg.stages))(x)
    return keras.Model(inputs, outputs, name="stager")
