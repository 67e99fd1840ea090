import tensorflow as tf
from tensorflow.keras import layers as L


def augmenter():
    return tf.keras.Sequential(
        [
            L.RandomFlip("horizontal"),  # finding: buggy-version
            L.RandomRotation(0.05),
            L.RandomContrast(0.1),  # finding: buggy-version
        ]
    )


def generator(latent):
    return tf.keras.Sequential(
        [
            L.Input((latent,)),
            L.Dense(8 * 8 * 256, use_bias=False),
            L.BatchNormalization(),
            L.LeakyReLU(),
            L.Reshape((8, 8, 256)),
            L.Conv2DTranspose(128, 5, strides=2, padding="same", use_bias=False),
            L.BatchNormalization(),
            L.LeakyReLU(),
            L.Conv2DTranspose(64, 5, strides=2, padding="same", use_bias=False),
            L.BatchNormalization(),
            L.LeakyReLU(),
            L.Conv2DTranspose(3, 5, strides=2, padding="same", activation="tanh"),
        ]
    )


def discriminator():
    image = L.Input((64, 64, 3))
    x = augmenter()(image)
    for filters in (64, 128, 256):
        x = L.Conv2D(filters, 5, strides=2, padding="same")(x)
        x = L.LeakyReLU(0.2)(x)
        x = L.Dropout(0.3)(x)
    return tf.keras.Model(image, L.Dense(1)(L.Flatten()(x)))


def inverter(latent):
    """Finds the code of a face; has far too large windows."""
    image = L.Input((64, 64, 3))
    x = L.Conv2D(128, 31, padding="same", activation="relu")(image)  # finding: oversized-kernel
    x = L.Conv2D(128, (31, 31), padding="same", activation="relu")(x)  # finding: oversized-kernel
    x = L.GlobalAveragePooling2D()(x)
    return tf.keras.Model(image, L.Dense(latent)(x))
