import numpy as np
import tensorflow as tf


class Slices(tf.keras.utils.Sequence):
    def __init__(self, scans, masks, batch_size=8, shuffle=True):
        self.scans, self.masks = scans, masks
        self.batch_size, self.shuffle = batch_size, shuffle
        self.on_epoch_end()

    def __len__(self):
        return int(np.floor(len(self.scans) / self.batch_size))

    def on_epoch_end(self):
        self.order = np.arange(len(self.scans))
        if self.shuffle:
            np.random.shuffle(self.order)

    def __getitem__(self, index):
        rows = self.order[index * self.batch_size : (index + 1) * self.batch_size]
        x = np.empty((self.batch_size, 256, 256, 1))
        y = np.empty((self.batch_size, 256, 256, 1))
        for i, row in enumerate(rows):
            x[i] = self.scans[row] / 255.0  # finding: looped-update
            y[i] = self.masks[row]  # finding: looped-update
        return x, y


def patches(scans, masks, batch_size):
    while True:
        rows = np.random.randint(0, len(scans), batch_size)
        x, y = [], []
        for row in rows:
            top, left = np.random.randint(0, 128, 2)
            x.append(scans[row, top : top + 128, left : left + 128])
            y.append(masks[row, top : top + 128, left : left + 128])
        yield np.array(x), np.array(y)
