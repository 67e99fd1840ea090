from pathlib import Path

import numpy as np
from PIL import Image

PALETTE = [(30, 80, 200), (20, 110, 40), (200, 190, 80), (150, 150, 150), (160, 110, 70)]


def colourise(mask):
    height, width = mask.shape
    picture = Image.new("RGB", (width, height))
    for y in range(height):
        for x in range(width):
            picture.putpixel((x, y), PALETTE[int(mask[y, x])])
    return picture


def write_previews(folder: Path, step, predicted, truth):
    folder.mkdir(exist_ok=True)
    for k, (p, t) in enumerate(zip(predicted, truth)):
        left, right = colourise(p), colourise(t)
        both = Image.new("RGB", (left.width * 2, left.height))
        both.paste(left, (0, 0))
        both.paste(right, (left.width, 0))
        both.save(folder / f"{step:05d}-{k}.png")
