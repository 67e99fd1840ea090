import numpy as np


def mel_filters(bands, bins):
    """Triangles, shape (bands, bins)."""
    centers = np.linspace(0.0, bins, bands + 2)
    grid = np.arange(bins)
    rising = (grid[None, :] - centers[:-2, None]) / (centers[1:-1] - centers[:-2])[:, None]
    falling = (centers[2:, None] - grid[None, :]) / (centers[2:] - centers[1:-1])[:, None]
    return np.maximum(0.0, np.minimum(rising, falling))
