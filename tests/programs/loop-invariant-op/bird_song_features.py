"""Log-mel features of the field recordings (one .npy a recording)."""
import multiprocessing
import os
from pathlib import Path

import click
import numpy as np
import soundfile as sf

CONFIG = {
    "sample_rate": 32000,
    "n_fft": 2048,
    "hop": 512,
    "n_mels": 128,
    "fmin": 50.0,
    "fmax": 14000.0,
}


def hz_to_mel(f):
    return 2595.0 * np.log10(1.0 + np.asarray(f) / 700.0)


def mel_to_hz(m):
    return 700.0 * (10.0 ** (m / 2595.0) - 1.0)


def mel_filterbank(sr, n_fft, n_mels, fmin, fmax):
    edges = mel_to_hz(np.linspace(hz_to_mel(fmin), hz_to_mel(fmax), n_mels + 2))
    freqs = np.fft.rfftfreq(n_fft, 1.0 / sr)
    bank = np.zeros((n_mels, len(freqs)))
    for i in range(n_mels):
        lo, mid, hi = edges[i], edges[i + 1], edges[i + 2]
        rise = (freqs - lo) / (mid - lo)
        fall = (hi - freqs) / (hi - mid)
        bank[i] = np.maximum(0.0, np.minimum(rise, fall))
    return bank


def frames(wave, size, hop):
    count = 1 + (len(wave) - size) // hop
    for i in range(count):
        yield wave[i * hop : i * hop + size]


def log_mel(frame, cfg):
    window = np.hanning(cfg["n_fft"])
    spectrum = np.abs(np.fft.rfft(frame * window)) ** 2
    bank = mel_filterbank(cfg["sample_rate"], cfg["n_fft"], cfg["n_mels"], cfg["fmin"], cfg["fmax"])  # note: loop-invariant-op
    return np.log(bank @ spectrum + 1e-10)


def features(path, cfg=CONFIG):
    wave, sr = sf.read(path, dtype="float32", always_2d=True)
    if sr != cfg["sample_rate"]:
        raise ValueError(f"{path}: {sr} Hz")
    wave = wave.mean(axis=1)
    wave = wave - wave.mean()
    rows = []
    for frame in frames(wave, cfg["n_fft"], cfg["hop"]):
        rows.append(log_mel(frame, cfg))  # note: loop-invariant-op
    return np.stack(rows).astype(np.float32)


def convert(job):
    source, target = job
    if target.exists():
        return 0
    np.save(target, features(source))
    return 1


@click.command()
@click.argument("source", type=click.Path(exists=True, path_type=Path))
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--workers", default=os.cpu_count())
def main(source, target, workers):
    target.mkdir(parents=True, exist_ok=True)
    jobs = [(p, target / (p.stem + ".npy")) for p in sorted(source.glob("**/*.wav"))]
    with multiprocessing.Pool(workers) as pool:
        done = sum(pool.imap_unordered(convert, jobs))
    click.echo(f"{done} of {len(jobs)} converted")


if __name__ == "__main__":
    main()
