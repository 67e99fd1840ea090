import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.callbacks import Callback


class Warm(Callback):
    def __init__(self, top, steps):
        super().__init__()
        self.top, self.steps, self.done = top, steps, 0

    def on_train_batch_begin(self, batch, logs=None):
        self.done += 1
        K.set_value(self.model.optimizer.lr, self.top * min(1, self.done / self.steps))


class Recall(Callback):
    def __init__(self, x, y):
        super().__init__()
        self.x, self.y = x, y

    def on_epoch_end(self, epoch, logs=None):
        guess = self.model.predict(self.x, batch_size=512).argmax(1)
        print("recall", np.mean(guess[self.y == 1] == 1))


class Sample(Callback):
    def __init__(self, dictionary, seeds):
        super().__init__()
        self.dictionary, self.seeds = dictionary, seeds

    def on_epoch_end(self, epoch, logs=None):
        for seed in self.seeds:
            text = list(seed)
            for _ in range(400):
                window = np.array([[self.dictionary[c] for c in text[-40:]]])
                chances = self.model.predict(window)[0]  # finding: predict-per-item
                text.append(list(self.dictionary)[int(chances.argmax())])
            print("".join(text))


class BestOf(Callback):
    def __init__(self, watch="val_loss"):
        super().__init__()
        self.watch, self.best, self.weights = watch, np.inf, None

    def on_epoch_end(self, epoch, logs=None):
        if logs[self.watch] < self.best:
            self.best = logs[self.watch]
            self.weights = self.model.get_weights()

    def on_train_end(self, logs=None):
        self.model.set_weights(self.weights)
