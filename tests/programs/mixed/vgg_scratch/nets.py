from keras import layers as L
from keras.models import Model, Sequential


def scratch(side=512, classes=10):
    net = Sequential()
    net.add(L.Conv2D(512, (3, 3), activation="relu", padding="same", input_shape=(side, side, 3)))  # finding: wide-early-conv
    net.add(L.MaxPooling2D((4, 4)))
    net.add(L.Conv2D(64, (21, 21), activation="relu", padding="same"))  # finding: oversized-kernel
    net.add(L.MaxPooling2D((2, 2)))
    net.add(L.Conv2D(64, (3, 3), activation="relu", padding="same"))
    net.add(L.Flatten())
    net.add(L.Dense(2048, activation="relu"))  # finding: oversized-dense
    net.add(L.Dropout(0.5))
    net.add(L.Dense(classes, activation="softmax"))
    return net


def block(x, filters, count):
    for _ in range(count):
        x = L.Conv2D(filters, 3, padding="same", activation="relu")(x)
    return L.MaxPooling2D()(x)


def proper(side=224, classes=10):
    inputs = L.Input((side, side, 3))
    x = L.Conv2D(32, 7, strides=2, padding="same", activation="relu")(inputs)
    for filters, count in ((64, 2), (128, 2), (256, 3)):
        x = block(x, filters, count)
    x = L.GlobalAveragePooling2D()(x)
    x = L.Dense(512, activation="relu")(x)
    return Model(inputs, L.Dense(classes, activation="softmax")(x))


def digits():
    net = Sequential()
    net.add(L.Conv2D(32, (3, 3), activation="relu", input_shape=(28, 28, 1)))
    net.add(L.Conv2D(64, (3, 3), activation="relu"))
    net.add(L.MaxPooling2D(pool_size=(2, 2)))
    net.add(L.Dropout(0.25))
    net.add(L.Flatten())
    net.add(L.Dense(128, activation="relu"))
    net.add(L.Dense(10, activation="softmax"))
    return net


def waves(length=16000):
    inputs = L.Input((length, 1))
    x = L.Conv1D(16, 80, strides=4, activation="relu")(inputs)
    x = L.MaxPooling1D(4)(x)
    x = L.Conv1D(32, 3, activation="relu")(x)
    x = L.GlobalAveragePooling1D()(x)
    return Model(inputs, L.Dense(10, activation="softmax")(x))
