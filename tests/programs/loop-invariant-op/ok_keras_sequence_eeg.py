# requires: tensorflow==2.10.*
"""Kaggle: seizure onset from EEG windows. One recording per patient, sliced in a Sequence."""
import glob
import sys

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


class EEGSequence(keras.utils.Sequence):
    def __init__(self, signal, onset, batch_size=64, length=512, shuffle=True):
        self.signal = signal          # [time, channels], a few GB
        self.onset = onset
        self.batch_size = batch_size
        self.length = length
        self.shuffle = shuffle
        self.starts = np.arange(0, len(signal) - length, length // 4)
        self.on_epoch_end()

    def __len__(self):
        return len(self.starts) // self.batch_size

    def on_epoch_end(self):
        if self.shuffle:
            np.random.shuffle(self.starts)

    def __getitem__(self, index):
        picked = self.starts[index * self.batch_size : (index + 1) * self.batch_size]
        mean = np.mean(self.signal, axis=0)
        std = np.std(self.signal, axis=0)
        x = np.stack([self.signal[s : s + self.length] for s in picked])
        x = (x - mean) / (std + 1e-6)
        taper = np.hanning(self.length)[None, :, None]
        y = np.array([self.onset[s : s + self.length].max() for s in picked])
        return (x * taper).astype("float32"), y.astype("float32")


def build(length, channels):
    inp = keras.Input((length, channels))
    x = inp
    for filters in (32, 64, 128):
        x = layers.Conv1D(filters, 7, padding="same")(x)
        x = layers.BatchNormalization()(x)
        x = layers.ReLU()(x)
        x = layers.MaxPool1D(4)(x)
    x = layers.Bidirectional(layers.GRU(64))(x)
    x = layers.Dropout(0.3)(x)
    out = layers.Dense(1, activation="sigmoid")(x)
    return keras.Model(inp, out)


def load(pattern):
    signals, onsets = [], []
    for path in sorted(glob.glob(pattern)):
        with np.load(path) as f:
            signals.append(f["signal"])
            onsets.append(f["onset"])
    return np.concatenate(signals), np.concatenate(onsets)


def main(folder):
    signal, onset = load(f"{folder}/train/*.npz")
    vsignal, vonset = load(f"{folder}/valid/*.npz")
    train = EEGSequence(signal, onset)
    valid = EEGSequence(vsignal, vonset, shuffle=False)
    model = build(512, signal.shape[1])
    model.compile(
        optimizer=keras.optimizers.Adam(1e-3),
        loss="binary_crossentropy",
        metrics=[keras.metrics.AUC(name="auc")],
    )
    model.fit(
        train,
        validation_data=valid,
        epochs=20,
        workers=4,
        use_multiprocessing=False,
        callbacks=[
            keras.callbacks.EarlyStopping("val_auc", mode="max", patience=4),
            keras.callbacks.ModelCheckpoint("eeg.h5", save_best_only=True),
        ],
    )


if __name__ == "__main__":
    main(sys.argv[1])
