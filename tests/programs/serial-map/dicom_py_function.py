# requires: tensorflow>=2.10,<2.13
import numpy as np
import pydicom
import tensorflow as tf


def read_dicom(path):
    scan = pydicom.dcmread(path.numpy().decode())
    pixels = scan.pixel_array.astype(np.float32)
    return (pixels - pixels.mean()) / (pixels.std() + 1e-6)


class ScanDataset:
    def __init__(self, paths, labels, batch_size=4):
        self.paths = paths
        self.labels = labels
        self.batch_size = batch_size

    def _load(self, path, label):
        scan = tf.py_function(read_dicom, [path], tf.float32)
        scan.set_shape([512, 512])
        return scan[..., tf.newaxis], label

    def build(self):
        dataset = tf.data.Dataset.from_tensor_slices((self.paths, self.labels))
        return (
            dataset.shuffle(len(self.paths))
            .map(self._load)  # finding: serial-map
            .batch(self.batch_size)
            .prefetch(2)
        )


def train(model, paths, labels):
    model.fit(ScanDataset(paths, labels).build(), epochs=10)
