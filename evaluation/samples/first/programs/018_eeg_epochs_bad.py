"""Cut continuous EEG recordings into labelled training windows."""
import argparse
from pathlib import Path

import numpy as np
from scipy.signal import butter, decimate, sosfiltfilt


class WindowBuilder:
    def __init__(self, channels, seconds=4.0, overlap=0.5, rate=128):
        self.rate = rate
        self.length = int(seconds * rate)
        self.hop = int(self.length * (1 - overlap))
        self.x = np.empty((0, channels, self.length), dtype=np.float32)
        self.y = np.empty((0,), dtype=np.int64)

    def add_recording(self, signal, events):
        for start in range(0, signal.shape[1] - self.length + 1, self.hop):
            window = signal[:, start : start + self.length]
            label = self.label(events, start, start + self.length)
            if label is None or np.abs(window).max() > 250:
                continue
            window = (window - window.mean(1, keepdims=True)) / (window.std(1, keepdims=True) + 1e-6)
            self.x = np.concatenate([self.x, window[None].astype(np.float32)])
            self.y = np.append(self.y, label)

    def label(self, events, lo, hi):
        inside = [(code, min(hi, b) - max(lo, a)) for a, b, code in events if a < hi and b > lo]
        if not inside:
            return None
        code, cover = max(inside, key=lambda t: t[1])
        return code if cover > 0.7 * (hi - lo) else None

    def save(self, path):
        np.savez(path, x=self.x, y=self.y)
        print(f"{path}: {self.x.shape} classes {np.bincount(self.y)}")


def read(path, target):
    with np.load(path) as z:
        raw, rate, events = z["signal"], int(z["rate"]), z["events"]
    sos = butter(4, (0.5, 45), btype="band", fs=rate, output="sos")
    factor = rate // target
    clean = decimate(sosfiltfilt(sos, raw, axis=1), factor, axis=1)
    spans = [(int(a) // factor, int(b) // factor, int(c)) for a, b, c in events]
    return clean, spans


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("source", type=Path)
    ap.add_argument("target", type=Path)
    ap.add_argument("--channels", type=int, default=32)
    args = ap.parse_args()
    args.target.mkdir(parents=True, exist_ok=True)
    subjects = sorted(d for d in args.source.iterdir() if d.is_dir())
    cut = int(0.8 * len(subjects))
    for split, group in {"train": subjects[:cut], "test": subjects[cut:]}.items():
        builder = WindowBuilder(args.channels)
        for subject in group:
            for rec in sorted(subject.glob("*.npz")):
                builder.add_recording(*read(rec, builder.rate))
        builder.save(args.target / f"{split}.npz")


if __name__ == "__main__":
    main()
