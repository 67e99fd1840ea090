import tensorflow as tf
from tensorflow.keras import layers


def down(filters, norm=True):
    block = tf.keras.Sequential([layers.Conv2D(filters, 4, 2, "same", use_bias=False)])
    if norm:
        block.add(layers.BatchNormalization())
    block.add(layers.LeakyReLU())
    return block


def up(filters, dropout=False):
    block = tf.keras.Sequential([
        layers.Conv2DTranspose(filters, 4, 2, "same", use_bias=False),
        layers.BatchNormalization(),
    ])
    if dropout:
        block.add(layers.Dropout(0.5))
    block.add(layers.ReLU())
    return block


def generator():
    inputs = layers.Input((256, 256, 3))
    x, skips = inputs, []
    for i, filters in enumerate((64, 128, 256, 512, 512, 512)):
        x = down(filters, norm=i > 0)(x)
        skips.append(x)
    for i, (filters, skip) in enumerate(zip((512, 512, 256, 128, 64), reversed(skips[:-1]))):
        x = layers.Concatenate()([up(filters, dropout=i < 2)(x), skip])
    return tf.keras.Model(inputs, layers.Conv2DTranspose(3, 4, 2, "same", activation="tanh")(x))


def discriminator():
    photo, sketch = layers.Input((256, 256, 3)), layers.Input((256, 256, 3))
    x = layers.Concatenate()([photo, sketch])
    for i, filters in enumerate((64, 128, 256)):
        x = down(filters, norm=i > 0)(x)
    return tf.keras.Model([photo, sketch], layers.Conv2D(1, 4, 1, "same")(x))
