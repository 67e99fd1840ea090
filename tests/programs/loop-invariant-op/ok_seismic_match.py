"""Matched filters: finds copies of template quakes in a day of a station's recordings (PyTorch)."""
import glob
import os

import numpy as np
import torch
import torch.nn.functional as F

RATE = 100
WINDOW = 4


def load_templates(folder):
    rows = [np.load(p)[: WINDOW * RATE] for p in sorted(glob.glob(os.path.join(folder, "*.npy")))]
    return np.stack(rows).astype(np.float32)


def bandpass(x, low, high):
    n = x.shape[-1]
    freqs = torch.fft.rfftfreq(n, 1.0 / RATE, device=x.device)
    gain = ((freqs > low) & (freqs < high)).float()
    return torch.fft.irfft(torch.fft.rfft(x) * gain, n=n)


def prepare(t):
    t = t - t.mean(dim=-1, keepdim=True)
    t = t / t.norm(dim=-1, keepdim=True)
    return t


def correlate(chunk, templates):
    templates = prepare(bandpass(templates, 1.0, 15.0))
    chunk = bandpass(chunk, 1.0, 15.0)
    power = F.avg_pool1d(chunk.pow(2)[None, None], WINDOW * RATE, stride=1)[0, 0]
    cc = F.conv1d(chunk[None, None], templates[:, None])[0]
    return cc / (power * WINDOW * RATE).sqrt().clamp_min(1e-9)


def scan(path, templates, device="cuda", length=600 * RATE, threshold=0.7):
    trace = np.load(path, mmap_mode="r")
    hits = []
    for start in range(0, len(trace) - length, length):
        chunk = torch.from_numpy(np.array(trace[start : start + length], dtype=np.float32)).to(device)
        cc = correlate(chunk, templates)
        which, when = (cc > threshold).nonzero(as_tuple=True)
        hits += [(int(w), (start + int(t)) / RATE) for w, t in zip(which.cpu(), when.cpu())]
    return hits


if __name__ == "__main__":
    import sys

    bank = torch.from_numpy(load_templates(sys.argv[1])).cuda()
    for day in sorted(glob.glob(sys.argv[2])):
        print(day, scan(day, bank))
