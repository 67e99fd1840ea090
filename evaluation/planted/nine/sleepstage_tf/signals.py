"""Synthetic nights: one EEG channel in windows of 30 s with a stage each."""
import numpy as np
from scipy import signal

BANDS = {0: (10.0, 0.8), 1: (6.0, 0.6), 2: (13.0, 0.7), 3: (1.5, 1.6), 4: (4.5, 0.7)}


def hypnogram(rng, n, n_stages):
    stages = [0]
    while len(stages) < n:
        stay = rng.random() < 0.8
        stages.append(stages[-1] if stay else int(rng.integers(n_stages)))
    return np.array(stages, np.int64)


def night(index, cfg):
    rng = np.random.default_rng((cfg.seed, index))
    stages = hypnogram(rng, cfg.windows, len(cfg.stages))
    t = np.arange(cfg.length) / cfg.rate
    eeg = np.empty((cfg.windows, cfg.length), np.float32)
    for k, stage in enumerate(stages):
        freq, amp = BANDS[int(stage)]
        phase = rng.uniform(0, 2 * np.pi)
        drift = 0.5 * np.sin(2 * np.pi * 0.05 * t + phase)
        hum = 0.8 * np.sin(2 * np.pi * cfg.hum_hz * t + phase)
        wave = amp * np.sin(2 * np.pi * (freq + rng.normal(0, 0.3)) * t + phase)
        eeg[k] = wave + drift + hum + rng.standard_normal(cfg.length)
    return eeg, stages


def clean(windows, cfg):
    """Band-pass, notch and scaling along the last axis."""
    nyquist = cfg.rate / 2
    sos = signal.butter(4, [cfg.low_hz / nyquist, cfg.high_hz / nyquist], btype="band", output="sos")
    b, a = signal.iirnotch(cfg.hum_hz / nyquist, 20)
    out = signal.sosfiltfilt(sos, windows, axis=-1)
    out = signal.filtfilt(b, a, out, axis=-1)
    scale = np.median(np.abs(out), axis=-1, keepdims=True) * 1.4826 + 1e-6
    return (out / scale).astype(np.float32)
