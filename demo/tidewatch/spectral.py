"""Spectra of windows."""

from __future__ import annotations

import math

import torch


def cosine_basis(length: int, frequencies: int) -> torch.Tensor:
    """Tapered cosines that are orthogonal, of shape (length, frequencies)."""
    time = torch.arange(length, dtype=torch.float32)
    pitch = torch.arange(frequencies, dtype=torch.float32)
    taper = torch.hann_window(length, periodic=False)
    waves = torch.cos(math.pi / length * torch.outer(time + 0.5, pitch))
    return torch.linalg.qr(taper[:, None] * waves).Q
