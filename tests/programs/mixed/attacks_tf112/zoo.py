import itertools
import os

import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.applications import vgg16
from keras.layers import Dense, Input
from keras.models import Model


class Attack:
    """Fast gradient sign, targeted; many images."""

    def __init__(self, model, epsilon):
        self.model, self.epsilon = model, epsilon

    def one(self, image, label):
        loss = K.categorical_crossentropy(K.constant(label), self.model.output)  # finding: graph-growth
        grads = K.gradients(loss, self.model.input)[0]  # finding: graph-growth
        slope = K.get_session().run(grads, {self.model.input: image[None]})
        return image + self.epsilon * np.sign(slope[0])

    def many(self, images, labels):
        return [self.one(i, l) for i, l in zip(images, labels)]


class Saliency:
    def __init__(self, model):
        self.model = model
        self.run = K.function([model.input], K.gradients(K.max(model.output, 1), model.input))

    def __call__(self, images):
        for batch in np.array_split(images, 100):
            yield self.run([batch])[0]


def small(width):
    x = Input((32,))
    return Model(x, Dense(1)(Dense(width, activation="relu")(x)))


def search(x, y):
    best = {}
    for width, rate in itertools.product((32, 64, 128, 256), (1e-2, 1e-3, 1e-4)):
        K.clear_session()
        model = small(width)
        model.compile("sgd", "mse")
        K.set_value(model.optimizer.lr, rate)
        history = model.fit(x, y, epochs=30, validation_split=0.2, verbose=0)
        best[width, rate] = min(history.history["val_loss"])
    return best


def resize_all(folder):
    for name in os.listdir(folder):
        image = np.load(os.path.join(folder, name))
        with tf.Session() as sess:  # finding: session-per-step
            small_image = sess.run(tf.image.resize_bicubic(image[None], [224, 224]))  # finding: graph-growth
        np.save(os.path.join(folder, "small_" + name), small_image[0])


def main():
    model = vgg16.VGG16()
    images = np.load("images.npy")
    labels = np.eye(1000)[np.load("labels.npy")]
    adversarial = Attack(model, 0.1).many(images, labels)
    np.save("adversarial.npy", adversarial)
    np.save("saliency.npy", np.concatenate(list(Saliency(model)(images))))
    resize_all("raw")
    print(search(np.random.rand(1000, 32), np.random.rand(1000)))


if __name__ == "__main__":
    main()
