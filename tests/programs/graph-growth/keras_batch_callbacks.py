# requires: tensorflow==1.13.*, keras==2.2.4
"""Trains a plant-disease classifier; callbacks keep watch on rates and gradients."""

import json

import numpy as np
import keras.backend as K
from keras import callbacks, layers, models, optimizers
from keras.applications.mobilenet_v2 import MobileNetV2
from keras.preprocessing.image import ImageDataGenerator


class EffectiveRate(callbacks.Callback):
    """Notes the rate that Adam really takes in each batch."""

    def __init__(self, path):
        super(EffectiveRate, self).__init__()
        self.path = path
        self.rates = []

    def on_batch_end(self, batch, logs=None):
        opt = self.model.optimizer
        t = K.cast(opt.iterations, K.floatx()) + 1  # finding: graph-growth
        rate = opt.lr * K.sqrt(1.0 - K.pow(opt.beta_2, t)) / (1.0 - K.pow(opt.beta_1, t))  # finding: graph-growth
        self.rates.append(float(K.eval(rate)))

    def on_train_end(self, logs=None):
        with open(self.path, "w") as file:
            json.dump(self.rates, file)


class Warmup(callbacks.Callback):
    def __init__(self, target, batches):
        super(Warmup, self).__init__()
        self.target = target
        self.batches = batches
        self.seen = 0

    def on_batch_begin(self, batch, logs=None):
        if self.seen <= self.batches:
            K.set_value(self.model.optimizer.lr, self.target * self.seen / self.batches)
        self.seen += 1


class WeightNorms(callbacks.Callback):
    """Warns when a kernel grows out of bounds, looked at every batch of the first epochs."""

    def __init__(self, limit=100.0, epochs=3):
        super(WeightNorms, self).__init__()
        self.limit = limit
        self.epochs = epochs
        self.epoch = 0

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch = epoch

    def on_batch_end(self, batch, logs=None):
        if self.epoch >= self.epochs:
            return
        for weight in self.model.trainable_weights:
            norm = K.get_session().run(K.sqrt(K.sum(K.square(weight))))  # finding: graph-growth
            if norm > self.limit:
                print("batch %d: %s has norm %.1f" % (batch, weight.name, norm))


class Confusion(callbacks.Callback):
    def __init__(self, flow, names):
        super(Confusion, self).__init__()
        self.flow = flow
        self.names = names

    def on_epoch_end(self, epoch, logs=None):
        guesses = np.argmax(self.model.predict_generator(self.flow, len(self.flow)), axis=1)
        table = np.zeros((len(self.names), len(self.names)), int)
        np.add.at(table, (self.flow.classes, guesses), 1)
        print(table)


def build(n_classes):
    base = MobileNetV2(include_top=False, pooling="avg", input_shape=(224, 224, 3))
    x = layers.Dropout(0.3)(base.output)
    model = models.Model(base.input, layers.Dense(n_classes, activation="softmax")(x))
    model.compile(optimizers.Adam(1e-3), "categorical_crossentropy", metrics=["accuracy"])
    return model


def main():
    training = ImageDataGenerator(rescale=1 / 255.0, horizontal_flip=True, rotation_range=20)
    plain = ImageDataGenerator(rescale=1 / 255.0)
    train = training.flow_from_directory("plants/train", (224, 224), batch_size=64)
    valid = plain.flow_from_directory("plants/valid", (224, 224), batch_size=64, shuffle=False)
    model = build(train.num_classes)
    watchers = [
        Warmup(1e-3, 500),
        EffectiveRate("rates.json"),
        WeightNorms(),
        Confusion(valid, sorted(train.class_indices)),
        callbacks.ModelCheckpoint("plants.h5", save_best_only=True),
    ]
    model.fit_generator(train, epochs=20, validation_data=valid, callbacks=watchers, workers=8)


if __name__ == "__main__":
    main()
