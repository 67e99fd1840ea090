# requires: tensorflow==2.3.*
"""Road segmentation with a small U-Net."""
import os
from glob import glob

import tensorflow as tf
from tensorflow.keras.layers import Concatenate, Conv2D, Input, MaxPool2D, UpSampling2D
from tensorflow.keras.models import Model


class SegmentationData:
    def __init__(self, root, size=(256, 512), batch_size=8, augment=True):
        self.size = size
        self.batch_size = batch_size
        self.augment = augment
        self.images = sorted(glob(os.path.join(root, "images", "*.png")))
        self.masks = sorted(glob(os.path.join(root, "masks", "*.png")))
        assert len(self.images) == len(self.masks)
        self.dataset = tf.data.Dataset.from_tensor_slices((self.images, self.masks))

    def __len__(self):
        return len(self.images) // self.batch_size

    def _read(self, image_path, mask_path):
        image = tf.image.decode_png(tf.io.read_file(image_path), channels=3)
        mask = tf.image.decode_png(tf.io.read_file(mask_path), channels=1)
        image = tf.image.resize(image, self.size) / 255.0
        mask = tf.image.resize(mask, self.size, method="nearest")
        return image, tf.cast(mask > 0, tf.float32)

    def _flip(self, image, mask):
        if tf.random.uniform(()) > 0.5:
            image = tf.image.flip_left_right(image)
            mask = tf.image.flip_left_right(mask)
        return image, mask

    def prepare(self):
        self.dataset = self.dataset.shuffle(len(self.images))
        self.dataset = self.dataset.map(self._read)  # finding: serial-map
        if self.augment:
            self.dataset = self.dataset.map(self._flip)  # note: serial-map
        self.dataset = self.dataset.batch(self.batch_size).repeat()
        self.dataset = self.dataset.prefetch(tf.data.experimental.AUTOTUNE)
        return self.dataset


def block(x, filters):
    x = Conv2D(filters, 3, padding="same", activation="relu")(x)
    return Conv2D(filters, 3, padding="same", activation="relu")(x)


def unet(size, widths=(16, 32, 64, 128)):
    inputs = Input((size[0], size[1], 3))
    skips, x = [], inputs
    for width in widths[:-1]:
        x = block(x, width)
        skips.append(x)
        x = MaxPool2D()(x)
    x = block(x, widths[-1])
    for width, skip in zip(reversed(widths[:-1]), reversed(skips)):
        x = Concatenate()([UpSampling2D()(x), skip])
        x = block(x, width)
    return Model(inputs, Conv2D(1, 1, activation="sigmoid")(x))


if __name__ == "__main__":
    train = SegmentationData("data/train")
    valid = SegmentationData("data/valid", augment=False)
    model = unet((256, 512))
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    model.fit(train.prepare(), steps_per_epoch=len(train),
              validation_data=valid.prepare(), validation_steps=len(valid), epochs=50)
