import numpy as np

from .filters import mel_filters

BANDS = 80


def log_mel(power):
    filters = mel_filters(BANDS, 513)  # note: loop-invariant-op
    return np.log(power @ filters.T + 1e-6)


def normalized(power):
    mel = log_mel(power)
    return (mel - mel.mean(axis=0)) / (mel.std(axis=0) + 1e-6)
