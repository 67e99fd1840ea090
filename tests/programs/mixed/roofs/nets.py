from tensorflow import keras
from tensorflow.keras import layers

TILE = (512, 512, 3)


def classifier(towns):
    model = keras.models.Sequential()
    model.add(layers.Conv2D(32, (3, 3), activation="relu", input_shape=TILE))
    model.add(layers.Conv2D(64, (3, 3), activation="relu"))
    model.add(layers.MaxPooling2D((2, 2)))
    model.add(layers.Flatten())
    model.add(layers.Dense(128, activation="relu"))  # finding: oversized-dense
    model.add(layers.Dense(towns, activation="softmax"))
    return model


class RoofNet(keras.Model):
    def __init__(self):
        super().__init__()
        self.stem = layers.Conv2D(32, 5, strides=2, padding="same", activation="relu")
        self.wide = layers.Conv2D(64, (51, 51), padding="same", activation="relu")  # finding: oversized-kernel
        self.narrow = layers.SeparableConv2D(64, 9, padding="same", activation="relu")
        self.up = layers.Conv2DTranspose(1, 4, strides=2, padding="same", activation="sigmoid")

    def call(self, x):
        return self.up(self.narrow(self.wide(self.stem(x))))


def unet():
    inputs = layers.Input(TILE)
    skips, x = [], inputs
    for filters in (32, 64, 128, 256):
        x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
        skips.append(x)
        x = layers.MaxPooling2D()(x)
    x = layers.Conv2D(512, 3, padding="same", activation="relu")(x)
    for filters, skip in zip((256, 128, 64, 32), reversed(skips)):
        x = layers.Concatenate()([layers.UpSampling2D()(x), skip])
        x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    return keras.Model(inputs, layers.Conv2D(1, 1, activation="sigmoid")(x))
