# -*- coding: utf-8 -*-
from __future__ import print_function

import numpy as np
from keras.applications.vgg16 import VGG16
from keras.callbacks import ModelCheckpoint
from keras.layers import Dense, Flatten
from keras.models import Model
from keras.preprocessing.image import ImageDataGenerator

BATCH_SIZE = 16


def classifier():
    base = VGG16(weights="imagenet", include_top=False, input_shape=(224, 224, 3))
    for layer in base.layers:
        layer.trainable = False
    x = Flatten()(base.output)
    x = Dense(256, activation="relu")(x)
    return Model(base.input, Dense(17, activation="softmax")(x))


def main():
    x_train, y_train = np.load("flowers_x.npy"), np.load("flowers_y.npy")
    x_test, y_test = np.load("test_x.npy"), np.load("test_y.npy")
    augmented = ImageDataGenerator(rotation_range=20, horizontal_flip=True, rescale=1 / 255.0)
    plain = ImageDataGenerator(rescale=1 / 255.0)
    model = classifier()
    model.compile("rmsprop", "categorical_crossentropy", metrics=["accuracy"])
    model.fit_generator(  # finding: steps-as-samples
        augmented.flow(x_train, y_train, batch_size=BATCH_SIZE),
        steps_per_epoch=len(x_train),
        epochs=50,
        validation_data=plain.flow(x_test, y_test, batch_size=BATCH_SIZE),
        validation_steps=len(x_test) // BATCH_SIZE,
        callbacks=[ModelCheckpoint("flowers.h5", save_best_only=True)],
    )
    for layer in model.layers[-8:]:
        layer.trainable = True
    model.compile("sgd", "categorical_crossentropy", metrics=["accuracy"])
    steps = int(np.ceil(len(x_train) / BATCH_SIZE))
    model.fit_generator(
        augmented.flow(x_train, y_train, batch_size=BATCH_SIZE), steps_per_epoch=steps, epochs=5
    )
    one_by_one = plain.flow(x_test, y_test, batch_size=1, shuffle=False)
    guesses = model.predict_generator(one_by_one, steps=len(x_test))
    print((guesses.argmax(1) == y_test.argmax(1)).mean())


if __name__ == "__main__":
    main()
