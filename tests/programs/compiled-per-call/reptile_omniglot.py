# requires: tensorflow==2.4.*
"""Reptile on Omniglot: few-shot classification with a small conv net."""
import argparse
import random

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


def conv_bn(x):
    x = layers.Conv2D(filters=64, kernel_size=3, strides=2, padding="same")(x)
    x = layers.BatchNormalization()(x)
    return layers.ReLU()(x)


def build_model(classes):
    inputs = layers.Input(shape=(28, 28, 1))
    x = conv_bn(inputs)
    x = conv_bn(x)
    x = conv_bn(x)
    x = conv_bn(x)
    x = layers.Flatten()(x)
    outputs = layers.Dense(classes, activation="softmax")(x)
    return keras.Model(inputs=inputs, outputs=outputs)


class Tasks:
    def __init__(self, path):
        blob = np.load(path)
        self.images = blob["images"].astype("float32") / 255.0
        self.by_label = {}
        for index, label in enumerate(blob["labels"]):
            self.by_label.setdefault(int(label), []).append(index)
        self.labels = list(self.by_label)

    def sample(self, shots, classes, batch_size, repetitions):
        chosen = random.sample(self.labels, classes)
        xs = np.zeros((classes * shots, 28, 28, 1), "float32")
        ys = np.zeros((classes * shots,), "int64")
        for position, label in enumerate(chosen):
            picks = random.sample(self.by_label[label], shots)
            xs[position * shots:(position + 1) * shots] = self.images[picks]
            ys[position * shots:(position + 1) * shots] = position
        data = tf.data.Dataset.from_tensor_slices((xs, ys))
        return data.shuffle(100).batch(batch_size).repeat(repetitions)


class Reptile:
    def __init__(self, args):
        self.args = args
        self.model = build_model(args.classes)
        self.optimizer = keras.optimizers.SGD(learning_rate=args.inner_lr)

    def adapt(self, data):
        """Some SGD steps on one task; called for each task."""

        @tf.function  # finding: compiled-per-call
        def inner_step(images, labels):
            with tf.GradientTape() as tape:
                preds = self.model(images, training=True)
                loss = keras.losses.sparse_categorical_crossentropy(labels, preds)
            grads = tape.gradient(loss, self.model.trainable_weights)
            self.optimizer.apply_gradients(zip(grads, self.model.trainable_weights))

        for images, labels in data:
            inner_step(images, labels)

    def meta_step(self, tasks, meta_lr):
        old = self.model.get_weights()
        data = tasks.sample(self.args.shots, self.args.classes, 25, 5)
        self.adapt(data)
        new = self.model.get_weights()
        mixed = [o + (n - o) * meta_lr for o, n in zip(old, new)]
        self.model.set_weights(mixed)

    def evaluate(self, tasks):
        old = self.model.get_weights()
        data = tasks.sample(self.args.eval_shots, self.args.classes, 5, 10)
        self.adapt(data)
        correct, total = 0, 0
        for images, labels in tasks.sample(1, self.args.classes, 5, 1):
            preds = tf.argmax(self.model(images, training=False), axis=-1)
            correct += int(tf.reduce_sum(tf.cast(preds == labels, tf.int32)))
            total += int(labels.shape[0])
        self.model.set_weights(old)
        return correct / total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--train", default="omniglot_train.npz")
    parser.add_argument("--test", default="omniglot_test.npz")
    parser.add_argument("--meta-iters", type=int, default=2000)
    parser.add_argument("--meta-lr", type=float, default=0.25)
    parser.add_argument("--inner-lr", type=float, default=0.003)
    parser.add_argument("--shots", type=int, default=20)
    parser.add_argument("--eval-shots", type=int, default=5)
    parser.add_argument("--classes", type=int, default=5)
    parser.add_argument("--eval-interval", type=int, default=100)
    args = parser.parse_args()

    train, test = Tasks(args.train), Tasks(args.test)
    learner = Reptile(args)
    for meta_iter in range(args.meta_iters):
        frac_done = meta_iter / args.meta_iters
        learner.meta_step(train, (1 - frac_done) * args.meta_lr)
        if meta_iter % args.eval_interval == 0:
            print("batch %d: test %.3f" % (meta_iter, learner.evaluate(test)))


if __name__ == "__main__":
    main()
