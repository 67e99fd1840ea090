"""Spectral features of clips."""

import torch
from torch import nn


class LogMel(nn.Module):
    def __init__(self, bands: int = 64, bins: int = 257) -> None:
        super().__init__()
        self.register_buffer("filters", torch.rand(bins, bands))
        self.register_buffer("window", torch.hann_window(512))

    def forward(self, waves: torch.Tensor) -> torch.Tensor:
        spectra = []
        for wave in waves:
            spectrum = torch.stft(wave, 512, 128, window=self.window, return_complex=True)  # finding: per-slice-op
            spectra.append(spectrum.abs().pow(2))
        power = torch.stack(spectra).transpose(1, 2)
        return torch.log1p(power @ self.filters)


def drop_bands(features: torch.Tensor, widths: list[int]) -> torch.Tensor:
    """Masks some bands; there are two or three masks."""
    for width in widths:
        start = int(torch.randint(0, features.shape[-1] - width, ()))
        features[..., start : start + width] = 0.0
    return features


def pitch_track(power: torch.Tensor, floor: float) -> torch.Tensor:
    """The loudest band of each frame, or zero where the frame is silent."""
    peaks = power.argmax(-1)
    loudness = power.amax(-1)
    track = torch.zeros(len(power))
    for frame in range(len(power)):  # finding: looped-branch
        if loudness[frame] > floor:
            track[frame] = peaks[frame] * 15.6
        else:
            track[frame] = 0.0
    return track


def smoothed(track: torch.Tensor, weight: float) -> torch.Tensor:
    """An exponential average: each value needs the one before."""
    levels = []
    level = 0.0
    for value in track.tolist():
        level = weight * level + (1 - weight) * value
        levels.append(level)
    return torch.tensor(levels)
