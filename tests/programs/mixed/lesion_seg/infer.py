# requires: tensorflow==1.15
"""Segment MS lesions in a folder of FLAIR+T1 pairs (a few thousand visits)."""
import argparse
import pathlib

import nibabel as nib
import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K

from .net import dice, dice_loss, modest_config


class Segmenter:
    def __init__(self, weights, threshold=0.5):
        self.weights = str(weights)
        self.threshold = threshold

    def open(self):
        K.clear_session()
        K.set_session(tf.Session(config=modest_config()))
        return tf.keras.models.load_model(self.weights, custom_objects={"dice": dice, "dice_loss": dice_loss})

    def volume(self, flair, t1):
        model = self.open()  # finding: session-per-step
        x = np.stack([flair, t1], -1).transpose(2, 0, 1, 3)
        p = model.predict(x, batch_size=32)[..., 0]
        return (p > self.threshold).transpose(1, 2, 0)


class PersistentSegmenter(Segmenter):
    """For the web front end: opened with the process."""

    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self.model = self.open()

    def volume(self, flair, t1):
        x = np.stack([flair, t1], -1).transpose(2, 0, 1, 3)
        return (self.model.predict(x, batch_size=32)[..., 0] > self.threshold).transpose(1, 2, 0)


def zscore(path):
    img = nib.load(str(path))
    a = img.get_fdata(dtype=np.float32)
    return (a - a.mean()) / (a.std() + 1e-6), img.affine


def visits(root):
    for d in sorted(pathlib.Path(root).iterdir()):
        if (d / "flair.nii.gz").exists() and not (d / "lesion.nii.gz").exists():
            yield d


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root")
    ap.add_argument("--weights", default="unet.h5")
    ns = ap.parse_args()
    seg = Segmenter(ns.weights)
    for d in visits(ns.root):
        flair, affine = zscore(d / "flair.nii.gz")
        t1, _ = zscore(d / "t1.nii.gz")
        mask = seg.volume(flair, t1)
        nib.save(nib.Nifti1Image(mask.astype(np.uint8), affine), str(d / "lesion.nii.gz"))


if __name__ == "__main__":
    main()
