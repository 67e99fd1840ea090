import numpy as np
from tensorflow import keras


class Pairs(keras.utils.Sequence):
    """Pairs of signatures, the same writer or not, from arrays in memory."""

    def __init__(self, images, writers, size=64):
        super().__init__()
        self.images = images
        self.writers = writers
        self.size = size
        self.by_writer = {w: np.flatnonzero(writers == w) for w in np.unique(writers)}

    def __len__(self):
        return len(self.images) // self.size

    def __getitem__(self, index):
        left = np.zeros((self.size, 128, 256, 1), "float32")
        right = np.zeros_like(left)
        same = np.zeros(self.size)
        for row in range(self.size):
            first = np.random.randint(len(self.images))
            same[row] = np.random.rand() < 0.5
            pool = self.by_writer[self.writers[first]] if same[row] else np.arange(len(self.images))
            image = self.images[first] / 255.0
            left[row] = (image - image.mean()) / (image.std() + 1e-6)
            right[row] = self.images[np.random.choice(pool)] / 255.0
        return (left, right), same


class Triplets(keras.utils.Sequence):
    def __init__(self, images, anchors, size=64):
        super().__init__()
        self.images, self.anchors, self.size = images, anchors, size

    def __len__(self):
        return len(self.anchors) // self.size

    def __getitem__(self, index):
        rows = self.anchors[index * self.size : (index + 1) * self.size]
        picked = self.images[rows].astype("float32") / 255.0
        return picked[:, 0], picked[:, 1:]
