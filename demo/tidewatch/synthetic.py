"""Gauge readings that look like a tidal river's, from a seed."""

from __future__ import annotations

import numpy as np

from tidewatch.settings import STATIONS


def readings(hours: int, seed: int) -> dict[str, np.ndarray]:
    """Hourly water levels in metres of every station, each of shape (hours,)."""
    random = np.random.default_rng(seed)
    time = np.arange(hours)
    levels = {}
    for offset, station in enumerate(STATIONS):
        tide = 0.8 * np.sin(2 * np.pi * (time + offset) / 12.4)
        rain = np.convolve(random.gamma(0.3, 0.4, hours), np.exp(-np.arange(36) / 9.0))[:hours]
        noise = random.normal(0.0, 0.02, hours)
        levels[station] = (2.0 + tide + 0.2 * rain + noise).astype(np.float32)
    return levels


def windows(levels: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Every stretch of `length` levels and the level that follows it."""
    view = np.lib.stride_tricks.sliding_window_view(levels, length + 1)
    return np.ascontiguousarray(view[:, :-1]), np.ascontiguousarray(view[:, -1])
