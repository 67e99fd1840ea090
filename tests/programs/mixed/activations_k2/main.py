"""Trains a net on pictures of minerals and shows what its filters like."""

import argparse

import numpy as np
from callbacks import DecayedRate, GradientNorms, Halve, LearningRateLog
from keras import backend as K
from keras.layers import Conv2D, Dense, GlobalAveragePooling2D, MaxPooling2D
from keras.models import Sequential
from keras.optimizers import SGD


def build(size, classes):
    model = Sequential()
    model.add(Conv2D(16, 3, activation="relu", input_shape=(size, size, 3), name="block1"))
    model.add(MaxPooling2D())
    model.add(Conv2D(32, 3, activation="relu", name="block2"))
    model.add(MaxPooling2D())
    model.add(Conv2D(64, 3, activation="relu", name="block3"))
    model.add(GlobalAveragePooling2D())
    model.add(Dense(classes, activation="softmax"))
    model.compile(SGD(0.01, momentum=0.9, decay=1e-6), "categorical_crossentropy", metrics=["accuracy"])
    return model


def visualise(model, layer, size, steps=40):
    """An image for each filter, found by climbing its gradient."""
    inputs = model.input
    output = model.get_layer(layer).output
    images = []
    for filter_index in range(int(output.shape[-1])):
        loss = K.mean(output[:, :, :, filter_index])  # finding: graph-growth
        grads = K.gradients(loss, inputs)[0]  # finding: graph-growth
        iterate = K.function([inputs], [loss, grads])  # finding: graph-growth
        image = np.random.random((1, size, size, 3))
        for _ in range(steps):
            value, gradient = iterate([image])
            image += gradient / (np.sqrt(np.mean(np.square(gradient))) + 1e-5)
        images.append(image[0])
    return np.stack(images)


def activations(model, pictures):
    read = K.function([model.input, K.learning_phase()], [layer.output for layer in model.layers[:-2]])
    sums = None
    for start in range(0, len(pictures), 32):
        found = read([pictures[start : start + 32], 0])
        means = [f.mean(axis=(0, 1, 2)) for f in found]
        sums = means if sums is None else [a + b for a, b in zip(sums, means)]
    return sums


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="minerals.npz")
    parser.add_argument("--epochs", type=int, default=100)
    args = parser.parse_args()
    data = np.load(args.data)
    x, y = data["x"], data["y"]
    model = build(x.shape[1], y.shape[1])
    with open("gradients.log", "w") as log:
        watchers = [GradientNorms((x[:64], y[:64]), log), LearningRateLog(), DecayedRate(), Halve(30)]
        model.fit(x, y, batch_size=32, epochs=args.epochs, callbacks=watchers, validation_split=0.1)
    np.save("filters.npy", visualise(model, "block3", x.shape[1]))
    print(activations(model, x))
