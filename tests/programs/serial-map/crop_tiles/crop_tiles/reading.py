"""Tiles of Sentinel-2 as arrays."""

import numpy as np
import rasterio
from rasterio.windows import Window

BANDS = (2, 3, 4, 8)


def read_tile(path, row, col, size):
    with rasterio.open(path.decode()) as src:
        window = Window(col, row, size, size)
        data = src.read(BANDS, window=window, boundless=True, fill_value=0)
    return np.moveaxis(data, 0, -1).astype(np.float32)


def read_mask(path, row, col, size):
    with rasterio.open(path.decode().replace("/image/", "/mask/")) as src:
        return src.read(1, window=Window(col, row, size, size)).astype(np.int32)
