import keras
import numpy as np
from keras import layers
from sequence import Pairs, Sherds, Turned

pictures = np.load("sherds.npy", mmap_mode="r")
labels = np.load("labels.npy")
vessels = np.load("vessels.npy")
BATCH = 16


def encoder():
    return keras.Sequential(
        [
            layers.Input((128, 128, 3)),
            layers.Conv2D(32, 3, strides=2, activation="relu"),
            layers.Conv2D(64, 3, strides=2, activation="relu"),
            layers.Conv2D(128, 3, strides=2, activation="relu"),
            layers.GlobalMaxPooling2D(),
            layers.Dense(64),
        ],
        name="encoder",
    )


def siamese():
    left, right = layers.Input((128, 128, 3)), layers.Input((128, 128, 3))
    shared = encoder()
    apart = layers.Subtract()([shared(left), shared(right)])
    return keras.Model([left, right], layers.Dense(1, activation="sigmoid")(apart))


class Confusion(keras.callbacks.Callback):
    """Once per epoch, from a small set that is kept aside."""

    def __init__(self, x, y, classes):
        super().__init__()
        self.x, self.y, self.classes = x, y, classes

    def on_epoch_end(self, epoch, logs=None):
        guessed = self.model.predict(self.x, batch_size=BATCH, verbose=0).argmax(-1)
        matrix = np.zeros((self.classes, self.classes), int)
        for true, guess in zip(self.y, guessed):
            matrix[true, guess] += 1  # finding: looped-update
        print(matrix)


classes = int(labels.max()) + 1
model = keras.Sequential([encoder(), layers.Activation("relu"), layers.Dense(classes, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(
    Sherds(pictures, labels, BATCH),
    epochs=20,
    callbacks=[Confusion(np.array(pictures[:200]) / 255.0, labels[:200], classes)],
)
model.fit(Turned(pictures, labels, BATCH), epochs=5)

twin = siamese()
twin.compile("adam", "binary_crossentropy")
twin.fit(  # finding: steps-as-samples
    Pairs(pictures, vessels).flow(BATCH),
    steps_per_epoch=len(pictures),
    epochs=10,
)
model.save("sherds.keras")
