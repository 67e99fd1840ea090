"""Turns recordings into log spectra and stores them for training."""

import tempfile
from pathlib import Path

import numpy as np
import tensorflow as tf
from sibling_spectra import log_spectrum

RECORDINGS = 12


def convert(recordings, folder):
    session = tf.compat.v1.Session()
    for number, recording in enumerate(recordings):
        spectrum = log_spectrum(session, recording)
        np.save(Path(folder) / f"{number}.npy", spectrum)
    session.close()


def main():
    tf.compat.v1.disable_v2_behavior()
    recordings = np.random.default_rng(4).normal(size=(RECORDINGS, 4000))
    with tempfile.TemporaryDirectory() as folder:
        convert(recordings, folder)
        return len(list(Path(folder).iterdir()))


if __name__ == "__main__":
    print(main())
