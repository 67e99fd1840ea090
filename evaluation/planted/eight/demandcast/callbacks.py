import csv
import os

import keras
import numpy as np


class StepLog(keras.callbacks.Callback):
    def __init__(self, path):
        super().__init__()
        self.path = path
        self.rows = []

    def on_train_batch_end(self, batch, logs=None):
        row = {"batch": batch, **(logs or {})}
        for weight in [*self.model.trainable_weights, *self.model.optimizer.variables]:
            value = weight.numpy()
            row[weight.path] = float(np.linalg.norm(value))
            row[weight.path + "/median"] = float(np.median(np.abs(value)))
        self.rows.append(row)
        with open(self.path, "w", newline="") as fh:
            writer = csv.DictWriter(fh, fieldnames=list(row))
            writer.writeheader()
            writer.writerows(self.rows)


class Backtest(keras.callbacks.Callback):
    def __init__(self, windows):
        super().__init__()
        self.windows = windows
        self.trace = []

    def on_epoch_end(self, epoch, logs=None):
        errors = []
        for x, y in self.windows:
            guess = self.model.predict(x[None], verbose=0)[0]
            errors.append(np.abs(guess - y).mean())
        self.trace.append(float(np.mean(errors)))
        print(f"epoch {epoch} backtest {self.trace[-1]:.4f}", flush=True)


def checkpoint(outdir):
    return keras.callbacks.ModelCheckpoint(os.path.join(outdir, "model.keras"), save_freq=4)
