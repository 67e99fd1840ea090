import math

import keras
import numpy as np
from skimage import transform


class Sherds(keras.utils.PyDataset):
    """Photographs of sherds; each epoch sees them turned and lit in another way."""

    def __init__(self, pictures, labels, batch_size=32, **kwargs):
        super().__init__(**kwargs)
        self.pictures = pictures
        self.labels = labels
        self.batch_size = batch_size
        self.order = np.arange(len(pictures))

    def __len__(self):
        return math.ceil(len(self.pictures) / self.batch_size)

    def __getitem__(self, index):
        chosen = self.order[index * self.batch_size : (index + 1) * self.batch_size]
        batch = np.empty((len(chosen), *self.pictures.shape[1:]), "float32")
        for place, n in enumerate(chosen):
            picture = self.pictures[n].astype("float32") / 255.0
            if np.random.rand() < 0.5:
                picture = picture[:, ::-1]
            gain = np.random.uniform(0.7, 1.3)
            batch[place] = np.clip(picture * gain, 0.0, 1.0)
        return batch, self.labels[chosen]

    def on_epoch_end(self):
        np.random.shuffle(self.order)


class Turned(keras.utils.PyDataset):
    """Turned by any angle: prepared by several processes, ahead of the training."""

    def __init__(self, pictures, labels, batch_size=32):
        super().__init__(workers=6, use_multiprocessing=True, max_queue_size=20)
        self.pictures, self.labels, self.batch_size = pictures, labels, batch_size

    def __len__(self):
        return len(self.pictures) // self.batch_size

    def __getitem__(self, index):
        part = slice(index * self.batch_size, (index + 1) * self.batch_size)
        turned = [transform.rotate(p, np.random.uniform(0, 360)) for p in self.pictures[part]]
        return np.stack(turned), self.labels[part]


class Pairs:
    """Same vessel or not: a plain generator."""

    def __init__(self, pictures, vessels):
        self.pictures = pictures
        self.vessels = vessels

    def flow(self, size):
        while True:
            first, second, same = [], [], []
            for _ in range(size):
                a = np.random.randint(len(self.pictures))
                b = np.random.randint(len(self.pictures))
                first.append(self.pictures[a] / 255.0)
                second.append(self.pictures[b] / 255.0)
                same.append(float(self.vessels[a] == self.vessels[b]))
            yield (np.array(first), np.array(second)), np.array(same)
