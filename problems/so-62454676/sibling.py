"""Trains a denoiser of spectrograms and reports its error on held-out recordings."""

import numpy as np
from sibling_denoiser import Denoiser


def recordings(seed, count):
    rng = np.random.default_rng(seed)
    clean = rng.random((count, 128, 128, 1)).astype("float32")
    return clean + rng.normal(scale=0.1, size=clean.shape).astype("float32"), clean


def main():
    denoiser = Denoiser()
    denoiser.learn(*recordings(1, 8))
    return denoiser.error(*recordings(2, 40))


if __name__ == "__main__":
    print(main())
