"""Folds pulsar search data over a grid of periods; the template is matched by FFT."""
import argparse
from functools import partial

import numpy as np
from scipy import signal
from tqdm import tqdm


def template(n, width, scatter):
    t = np.arange(n) / n
    pulse = np.exp(-0.5 * ((t - 0.5) / width) ** 2)
    tail = np.exp(-t / scatter)
    return signal.fftconvolve(pulse, tail)[:n]


def fold(series, period, n, rate):
    phase = (np.arange(len(series)) / rate / period) % 1.0
    bins = (phase * n).astype(int)
    total = np.bincount(bins, weights=series, minlength=n)
    return total / np.maximum(np.bincount(bins, minlength=n), 1)


def score(period, series, n, rate, width, scatter):
    profile = fold(series, period, n, rate)
    shape = template(n, width, scatter)
    corr = np.fft.irfft(np.fft.rfft(profile - profile.mean()) * np.conj(np.fft.rfft(shape)))  # note: loop-invariant-op
    return corr.max() / profile.std()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("series")
    parser.add_argument("--rate", type=float, default=4096.0)
    parser.add_argument("--bins", type=int, default=8192)
    args = parser.parse_args()
    series = np.load(args.series)[: 1 << 12]
    rate = partial(score, series=series, n=args.bins, rate=args.rate, width=0.02, scatter=0.05)
    best = (0.0, None)
    for period in tqdm(np.geomspace(0.002, 4.0, 200000)):
        s = rate(period)
        if s > best[0]:
            best = (s, period)
    print(best)


if __name__ == "__main__":
    main()
