# requires: tensorflow==2.4.1
"""3-D tumour segmentation on BraTS patches exported as .npy pairs."""
import argparse
import dataclasses
import glob
import os

import numpy as np
import tensorflow as tf


@dataclasses.dataclass
class PatchConfig:
    root: str
    patch: int = 96
    classes: int = 4
    batch: int = 2
    epochs: int = 40
    lo: float = -3.0
    hi: float = 3.0


class VolumeSource:
    workers = None
    shuffle = 0

    def __init__(self, cfg, cases):
        self.cfg = cfg
        self.cases = cases

    def _load(self, case):
        case = case.decode()
        vol = np.load(os.path.join(case, "mri.npy")).astype(np.float32)
        seg = np.load(os.path.join(case, "seg.npy")).astype(np.int32)
        return vol, seg

    def _corner(self, shape):
        room = shape[:3] - self.cfg.patch
        return room // 2

    def read(self, case):
        vol, seg = tf.numpy_function(self._load, [case], [tf.float32, tf.int32])
        z, y, x = tf.unstack(self._corner(tf.shape(vol)), num=3)
        p = self.cfg.patch
        vol = vol[z:z + p, y:y + p, x:x + p, :]
        seg = seg[z:z + p, y:y + p, x:x + p]
        return tf.ensure_shape(vol, (p, p, p, 4)), tf.ensure_shape(seg, (p, p, p))

    def window(self, vol, seg):
        vol = tf.clip_by_value(vol, self.cfg.lo, self.cfg.hi) / self.cfg.hi
        return vol, tf.one_hot(seg, self.cfg.classes)

    def dataset(self):
        ds = tf.data.Dataset.from_tensor_slices(self.cases)
        if self.shuffle:
            ds = ds.shuffle(self.shuffle)
        ds = ds.map(self.read, num_parallel_calls=self.workers)  # finding: serial-map
        ds = ds.map(self.window, num_parallel_calls=4)  # finding: map-before-batch
        return ds.batch(self.cfg.batch).prefetch(2)


class TrainSource(VolumeSource):
    shuffle = 256

    def _corner(self, shape):
        room = tf.cast(shape[:3] - self.cfg.patch, tf.float32)
        return tf.cast(tf.random.uniform([3]) * room, tf.int32)


def conv(x, n, stride=1):
    x = tf.keras.layers.Conv3D(n, 3, strides=stride, padding="same", use_bias=False)(x)
    x = tf.keras.layers.BatchNormalization()(x)
    return tf.keras.layers.LeakyReLU(0.01)(x)


def unet(cfg):
    inp = tf.keras.Input((cfg.patch,) * 3 + (4,))
    skips, x = [], conv(inp, 16)
    for width in (32, 64, 128):
        skips.append(x)
        x = conv(conv(x, width, 2), width)
    for skip in reversed(skips):
        x = tf.keras.layers.Conv3DTranspose(skip.shape[-1], 2, strides=2)(x)
        x = conv(tf.keras.layers.Concatenate()([x, skip]), skip.shape[-1])
    return tf.keras.Model(inp, tf.keras.layers.Conv3D(cfg.classes, 1, activation="softmax")(x))


def dice_loss(y, p):
    inter = tf.reduce_sum(y * p, axis=(1, 2, 3))
    total = tf.reduce_sum(y + p, axis=(1, 2, 3))
    return 1.0 - tf.reduce_mean((2 * inter + 1.0) / (total + 1.0))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root")
    ap.add_argument("--epochs", type=int, default=40)
    ns = ap.parse_args()
    cfg = PatchConfig(ns.root, epochs=ns.epochs)
    cases = sorted(glob.glob(os.path.join(cfg.root, "BraTS*")))
    cut = int(0.85 * len(cases))
    model = unet(cfg)
    model.compile("adam", dice_loss)
    model.fit(TrainSource(cfg, cases[:cut]).dataset(), epochs=cfg.epochs,
              validation_data=VolumeSource(cfg, cases[cut:]).dataset())
    model.save_weights("brats.h5")


if __name__ == "__main__":
    main()
