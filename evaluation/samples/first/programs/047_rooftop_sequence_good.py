"""Segment rooftops in aerial photos with Keras 3."""
import argparse
import math
from pathlib import Path

import cv2
import keras
import numpy as np
from keras import layers


class RooftopBatches(keras.utils.PyDataset):
    def __init__(self, root, batch_size, size=384, augment=False, **kwargs):
        super().__init__(**kwargs)
        self.images = sorted(Path(root, "image").glob("*.tif"))
        self.masks = sorted(Path(root, "mask").glob("*.png"))
        self.batch_size = batch_size
        self.size = size
        self.augment = augment
        self.rng = np.random.default_rng(11)
        self.order = np.arange(len(self.images))

    def __len__(self):
        return math.ceil(len(self.images) / self.batch_size)

    def __getitem__(self, index):
        picks = self.order[index * self.batch_size : (index + 1) * self.batch_size]
        pairs = [self._example(i) for i in picks]
        x = np.stack([p[0] for p in pairs]).astype("float32") / 255.0
        y = (np.stack([p[1] for p in pairs])[..., None] > 127).astype("float32")
        return x, y

    def _example(self, i):
        image = cv2.cvtColor(cv2.imread(str(self.images[i])), cv2.COLOR_BGR2RGB)
        mask = cv2.imread(str(self.masks[i]), cv2.IMREAD_GRAYSCALE)
        size = (self.size, self.size)
        if self.augment:
            angle, scale = self.rng.uniform(-180, 180), self.rng.uniform(0.8, 1.3)
            h, w = mask.shape
            m = cv2.getRotationMatrix2D((w / 2, h / 2), angle, scale)
            image = cv2.warpAffine(image, m, (w, h), borderMode=cv2.BORDER_REFLECT)
            mask = cv2.warpAffine(mask, m, (w, h), flags=cv2.INTER_NEAREST, borderMode=cv2.BORDER_REFLECT)
        return cv2.resize(image, size), cv2.resize(mask, size, interpolation=cv2.INTER_NEAREST)

    def on_epoch_end(self):
        if self.augment:
            self.rng.shuffle(self.order)


def unet(size, widths=(32, 64, 128, 256)):
    x = inp = keras.Input((size, size, 3))
    skips = []
    for w in widths:
        x = layers.SeparableConv2D(w, 3, padding="same", activation="relu")(x)
        x = layers.BatchNormalization()(x)
        skips.append(x)
        x = layers.MaxPooling2D()(x)
    for w, skip in zip(reversed(widths), reversed(skips)):
        x = layers.concatenate([layers.UpSampling2D()(x), skip])
        x = layers.SeparableConv2D(w, 3, padding="same", activation="relu")(x)
        x = layers.BatchNormalization()(x)
    return keras.Model(inp, layers.Conv2D(1, 1, dtype="float32")(x))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root", type=Path)
    ap.add_argument("--epochs", type=int, default=50)
    ap.add_argument("--batch-size", type=int, default=24)
    ap.add_argument("--size", type=int, default=384)
    args = ap.parse_args()
    keras.mixed_precision.set_global_policy("mixed_float16")
    pool = dict(workers=8, use_multiprocessing=True, max_queue_size=32)
    train = RooftopBatches(args.root / "train", args.batch_size, args.size, augment=True, **pool)
    valid = RooftopBatches(args.root / "valid", args.batch_size, args.size, **pool)
    model = unet(args.size)
    model.compile(
        optimizer=keras.optimizers.Adam(1e-3),
        loss=keras.losses.BinaryCrossentropy(from_logits=True),
        metrics=[keras.metrics.BinaryIoU(threshold=0.0)],
    )
    model.fit(train, validation_data=valid, epochs=args.epochs, verbose=2)
    model.save("rooftop.keras")


if __name__ == "__main__":
    main()
