# requires: tensorflow==2.4.1
from pathlib import Path

import tensorflow as tf
from tensorflow.data import Dataset


class Loader(object):
    """Satellite tiles with masks."""

    def __init__(self, root, size=256):
        self.size = size
        self.images = sorted(str(p) for p in Path(root, "images").glob("*.png"))
        self.masks = sorted(str(p) for p in Path(root, "masks").glob("*.png"))
        self.ds = Dataset.from_tensor_slices((self.images, self.masks))

    def decode(self, image_path, mask_path):
        image = tf.image.decode_png(tf.io.read_file(image_path), channels=3)
        mask = tf.image.decode_png(tf.io.read_file(mask_path), channels=1)
        image = tf.image.resize(image, [self.size, self.size])
        mask = tf.image.resize(mask, [self.size, self.size], method="nearest")
        return image, mask

    def prepare(self, batch_size):
        self.ds = self.ds.shuffle(len(self.images))
        self.ds = self.ds.map(self.decode)  # finding: serial-map
        self.ds = self.ds.batch(batch_size)
        self.ds = self.ds.prefetch(tf.data.experimental.AUTOTUNE)
        return self.ds


if __name__ == "__main__":
    loader = Loader("tiles")
    for images, masks in loader.prepare(8):
        print(images.shape, masks.shape)
