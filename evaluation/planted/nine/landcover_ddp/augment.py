import numpy as np
from scipy import ndimage


def rotate(image, mask, quarter_turns):
    angle = 90 * quarter_turns
    image = ndimage.rotate(image, angle, axes=(1, 2), reshape=False, order=3, mode="nearest")
    mask = ndimage.rotate(mask, angle, reshape=False, order=0, mode="nearest")
    return image.astype(np.float32), mask


def augment(image, mask, rng):
    image, mask = rotate(image, mask, int(rng.integers(0, 4)))
    if rng.random() < 0.5:
        image, mask = image[:, :, ::-1], mask[:, ::-1]
    gain = rng.uniform(0.9, 1.1, (image.shape[0], 1, 1)).astype(np.float32)
    return image * gain, mask
