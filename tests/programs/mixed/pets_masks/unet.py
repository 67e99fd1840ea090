from tensorflow.keras import Model, layers


def block(x, width):
    for _ in range(2):
        x = layers.Conv2D(width, 3, padding="same", activation="relu")(x)
    return x


def build(side, classes):
    inputs = layers.Input((side, side, 3))
    skips, x = [], inputs
    for width in (16, 32, 64):
        x = block(x, width)
        skips.append(x)
        x = layers.MaxPool2D()(x)
    x = block(x, 128)
    for width, skip in zip((64, 32, 16), reversed(skips)):
        x = layers.UpSampling2D()(x)
        x = block(layers.Concatenate()([x, skip]), width)
    return Model(inputs, layers.Conv2D(classes, 1)(x))
