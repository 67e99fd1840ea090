import sys

from keras.callbacks import EarlyStopping, ModelCheckpoint
from keras.optimizers import SGD
from keras.preprocessing.image import ImageDataGenerator

import nets


def flows(root, side, size):
    train = ImageDataGenerator(rescale=1.0 / 255, horizontal_flip=True, zoom_range=0.2)
    valid = ImageDataGenerator(rescale=1.0 / 255)
    return (
        train.flow_from_directory(root + "/train", (side, side), batch_size=size),
        valid.flow_from_directory(root + "/valid", (side, side), batch_size=size, shuffle=False),
    )


def fit(net, root, side, size=16):
    train, valid = flows(root, side, size)
    net.compile(SGD(0.01, momentum=0.9), "categorical_crossentropy", metrics=["acc"])
    net.fit_generator(
        train,
        steps_per_epoch=train.samples // size,
        epochs=40,
        validation_data=valid,
        validation_steps=len(valid),
        callbacks=[EarlyStopping(patience=4), ModelCheckpoint("best.h5", save_best_only=True)],
    )


def fit_all(net, root, side, size=16):
    train, valid = flows(root, side, size)
    net.compile("adam", "categorical_crossentropy")
    net.fit_generator(train, train.n, 10, validation_data=valid, validation_steps=valid.n)  # finding: steps-as-samples
    return net.predict_generator(valid, steps=len(valid))


if __name__ == "__main__":
    if sys.argv[1] == "scratch":
        fit_all(nets.scratch(), sys.argv[2], 512)
    else:
        fit(nets.proper(), sys.argv[2], 224)
