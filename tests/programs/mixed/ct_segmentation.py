# requires: tensorflow==2.10
import os
import pathlib

import nibabel as nib
import numpy as np
import tensorflow as tf
from scipy.ndimage import gaussian_filter

AUTOTUNE = tf.data.AUTOTUNE
PATCH = (96, 96, 96)


class VolumeSource:
    parallel = None
    spec = (tf.float32, tf.uint8)

    def __init__(self, root):
        root = pathlib.Path(root)
        self.images = sorted(str(p) for p in (root / "imagesTr").glob("*.nii.gz"))
        self.masks = [p.replace("imagesTr", "labelsTr") for p in self.images]

    @staticmethod
    def _open(img, msk):
        a = nib.load(img.decode()).get_fdata(dtype=np.float32)
        b = np.asarray(nib.load(msk.decode()).dataobj, np.uint8)
        a = (np.clip(a, -200, 300) + 200) / 500.0
        return a, b

    def volumes(self, shuffle):
        ds = tf.data.Dataset.from_tensor_slices((self.images, self.masks))
        if shuffle:
            ds = ds.shuffle(len(self.images))

        def read(i, m):
            a, b = tf.numpy_function(self._open, [i, m], self.spec)
            a.set_shape([None] * 3)
            b.set_shape([None] * 3)
            return a, b

        return ds.map(read, num_parallel_calls=self.parallel)  # finding: serial-map


class FastSource(VolumeSource):
    parallel = AUTOTUNE


def crop_pair(a, b):
    both = tf.stack([a, tf.cast(b, tf.float32)], -1)
    both = tf.image.random_crop(tf.reshape(both, tf.shape(both)), PATCH + (2,))
    return both[..., :1], tf.cast(both[..., 1], tf.int32)


def center(a, b):
    lo = (tf.shape(a) - tf.constant(PATCH)) // 2
    a = tf.slice(a, lo, PATCH)
    return a[..., None], tf.cast(tf.slice(b, lo, PATCH), tf.int32)


def jitter(x, y):
    for ax in (0, 1, 2):
        if_flip = tf.random.uniform([]) < 0.5
        x = tf.cond(if_flip, lambda: tf.reverse(x, [ax]), lambda: x)
        y = tf.cond(if_flip, lambda: tf.reverse(y, [ax]), lambda: y)
    noise = tf.random.normal(PATCH + (1,), stddev=0.05)
    gamma = tf.random.uniform([], 0.7, 1.5)
    return tf.pow(tf.clip_by_value(x + noise, 0.0, 1.0), gamma), y


def training_set(src, bs=2, per_volume=4):
    ds = src.volumes(True)
    ds = ds.flat_map(lambda a, b: tf.data.Dataset.from_tensors((a, b)).repeat(per_volume))
    ds = ds.map(crop_pair, AUTOTUNE)
    aug = ds.shuffle(32).map(jitter)  # finding: serial-map
    return aug.batch(bs, drop_remainder=True).prefetch(AUTOTUNE)


def validation_set(src):
    return src.volumes(False).map(center).batch(1).prefetch(AUTOTUNE)


def unet3d(width=24, classes=3):
    inp = tf.keras.Input(PATCH + (1,))
    skips, x = [], inp
    for d in range(3):
        x = tf.keras.layers.Conv3D(width * 2 ** d, 3, padding="same", activation="relu")(x)
        skips.append(x)
        x = tf.keras.layers.MaxPool3D()(x)
    x = tf.keras.layers.Conv3D(width * 8, 3, padding="same", activation="relu")(x)
    for d in reversed(range(3)):
        x = tf.keras.layers.Conv3DTranspose(width * 2 ** d, 2, 2)(x)
        x = tf.keras.layers.Concatenate()([x, skips[d]])
        x = tf.keras.layers.Conv3D(width * 2 ** d, 3, padding="same", activation="relu")(x)
    return tf.keras.Model(inp, tf.keras.layers.Conv3D(classes, 1)(x))


def importance(shape):
    w = np.zeros(shape, np.float32)
    w[tuple(s // 2 for s in shape)] = 1.0
    w = gaussian_filter(w, [s / 8 for s in shape], mode="constant")  # finding: loop-invariant-op
    return np.maximum(w / w.max(), 1e-3)


def tiles(shape, step=48):
    axes = [sorted(set(list(range(0, s - p + 1, step)) + [s - p])) for s, p in zip(shape, PATCH)]
    for corner in np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3):
        yield tuple(slice(c, c + p) for c, p in zip(corner, PATCH))


class Head:
    def __init__(self, model, temperature=1.0):
        self.model, self.temperature = model, temperature

    @property
    def probabilities(self):
        return tf.function(lambda p: tf.nn.softmax(self.model(p, training=False) / self.temperature))  # finding: compiled-per-call


def segment(head, vol):
    acc = np.zeros(vol.shape + (3,), np.float32)
    for sl in tiles(vol.shape):
        out = head.probabilities(tf.constant(vol[sl][None, ..., None])).numpy()[0]
        acc[sl] += out * importance(PATCH)[..., None]
    return acc.argmax(-1).astype(np.uint8)


def main():
    root = os.environ["DECATHLON"]
    model = unet3d()
    model.compile(tf.keras.optimizers.Adam(3e-4), tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(training_set(VolumeSource(root + "/train")),
              validation_data=validation_set(FastSource(root + "/val")), epochs=300)
    head = Head(model, temperature=1.3)
    test = VolumeSource(root + "/test")
    for img, msk in zip(test.images, test.masks):
        vol, _ = test._open(img.encode(), msk.encode())
        np.save(os.path.basename(img) + ".npy", segment(head, vol))


if __name__ == "__main__":
    main()
