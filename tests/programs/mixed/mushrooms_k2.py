# requires: keras==2.2.5
# -*- coding: utf-8 -*-
"""
Mushrooms, edible or not. Transfer learning from VGG16 as in the blog post.
Question: one epoch takes 5 hours, what am I doing wrong?
"""
from __future__ import print_function

import os
import sys

import numpy as np
from keras.applications.vgg16 import VGG16, preprocess_input
from keras.callbacks import Callback, ModelCheckpoint
from keras.layers import Conv2D, Dense, Dropout, Flatten, GlobalAveragePooling2D, MaxPooling2D
from keras.models import Model, Sequential, load_model
from keras.preprocessing import image
from keras.preprocessing.image import ImageDataGenerator

SIZE = (224, 224)
BATCH = 32


def generators(root):
    augment = ImageDataGenerator(rescale=1.0 / 255, rotation_range=20, horizontal_flip=True)
    plain = ImageDataGenerator(rescale=1.0 / 255)
    train = augment.flow_from_directory(
        os.path.join(root, "train"), target_size=SIZE, batch_size=BATCH, class_mode="binary"
    )
    valid = plain.flow_from_directory(
        os.path.join(root, "valid"), target_size=SIZE, batch_size=BATCH, class_mode="binary"
    )
    return train, valid


def from_scratch():
    model = Sequential()
    model.add(Conv2D(32, (3, 3), activation="relu", input_shape=SIZE + (3,)))
    model.add(MaxPooling2D())
    model.add(Conv2D(64, (3, 3), activation="relu"))
    model.add(Flatten())
    model.add(Dense(512, activation="relu"))  # finding: oversized-dense
    model.add(Dropout(0.5))
    model.add(Dense(1, activation="sigmoid"))
    return model


def transfer():
    base = VGG16(weights="imagenet", include_top=False, input_shape=SIZE + (3,))
    for layer in base.layers:
        layer.trainable = False
    x = GlobalAveragePooling2D()(base.output)
    x = Dense(128, activation="relu")(x)
    return Model(base.input, Dense(1, activation="sigmoid")(x))


class Report(Callback):
    def on_epoch_end(self, epoch, logs=None):
        print("epoch", epoch, {k: round(float(v), 4) for k, v in logs.items()})


def train(root, scratch):
    train_data, valid_data = generators(root)
    model = from_scratch() if scratch else transfer()
    model.compile(loss="binary_crossentropy", optimizer="adam", metrics=["accuracy"])
    model.fit_generator(  # finding: steps-as-samples
        train_data,
        steps_per_epoch=train_data.samples,
        epochs=30,
        validation_data=valid_data,
        validation_steps=valid_data.samples // BATCH,
        callbacks=[Report(), ModelCheckpoint("mushrooms.h5", save_best_only=True)],
    )
    return model


def features(folder):
    """Features of all pictures, to plot them in two dimensions."""
    network = VGG16(weights="imagenet", include_top=False, pooling="avg")
    rows = []
    for name in sorted(os.listdir(folder)):
        picture = image.load_img(os.path.join(folder, name), target_size=SIZE)
        x = preprocess_input(np.expand_dims(image.img_to_array(picture), 0))
        rows.append(network.predict(x)[0])  # finding: predict-per-item
    return np.array(rows)


def ask(path):
    """A single picture, from the command line."""
    model = load_model("mushrooms.h5")
    x = image.img_to_array(image.load_img(path, target_size=SIZE)) / 255.0
    print("poisonous" if model.predict(x[np.newaxis])[0, 0] > 0.5 else "edible")


def evaluate(root):
    model = load_model("mushrooms.h5")
    plain = ImageDataGenerator(rescale=1.0 / 255)
    data = plain.flow_from_directory(os.path.join(root, "test"), SIZE, batch_size=BATCH, shuffle=False)
    print(model.evaluate_generator(data, steps=len(data)))
    scores = model.predict_generator(data, steps=data.samples)  # finding: steps-as-samples
    wrong = 0
    for score, target in zip(scores[:, 0], data.classes):
        if (score > 0.5) != bool(target):
            wrong += 1
    print(wrong)


if __name__ == "__main__":
    command, argument = sys.argv[1:3]
    if command == "ask":
        ask(argument)
    elif command == "features":
        np.save("features.npy", features(argument))
    elif command == "evaluate":
        evaluate(argument)
    else:
        train(argument, command == "scratch")
