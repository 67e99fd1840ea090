import io

import numpy as np
import torch
from PIL import Image
from scipy import ndimage
from torch.utils.data import DataLoader, Dataset

SIZE = 64
RAW = 160
PALETTE = np.array([(cls & 1, cls >> 1 & 1, cls >> 2 & 1) for cls in range(8)]) * 90


def _draw(rng):
    yy, xx = np.mgrid[0:RAW, 0:RAW]
    image = rng.normal(90, 12, (RAW, RAW, 3))
    mask = np.zeros((RAW, RAW), np.uint8)
    for cls in range(1, 8):
        cy, cx = rng.uniform(25, RAW - 25, 2)
        ry, rx = rng.uniform(12, 35, 2)
        inside = ((yy - cy) / ry) ** 2 + ((xx - cx) / rx) ** 2 < 1
        mask[inside] = cls
        image[inside] = rng.normal(90, 12, (int(inside.sum()), 3))
        image[inside] += PALETTE[cls]
    return np.clip(image, 0, 255).astype(np.uint8), mask


def _encode(array):
    buf = io.BytesIO()
    Image.fromarray(array).save(buf, format="PNG")
    return buf.getvalue()


def make_archive(count, seed):
    rng = np.random.default_rng(seed)
    return [tuple(_encode(a) for a in _draw(rng)) for _ in range(count)]


def decode(blob, resample):
    image = Image.open(io.BytesIO(blob))
    return np.asarray(image.resize((SIZE, SIZE), resample))


def border_weight(mask, classes=8):
    weight = np.ones(mask.shape, np.float32)
    for cls in range(1, classes):
        region = mask == cls
        if region.any():
            near = ndimage.distance_transform_edt(region)
            far = ndimage.distance_transform_edt(~region)
            weight += 2.0 * np.exp(-((near + far) ** 2) / 18.0)
    return weight.astype(np.float32)


class LeafDataset(Dataset):
    def __init__(self, archive, augment, seed=0):
        self.archive = archive
        self.augment = augment
        self.rng = np.random.default_rng(seed)
        self.mean = np.zeros(3, np.float32)
        self.std = np.ones(3, np.float32)

    def __len__(self):
        return len(self.archive)

    def _image(self, index):
        return decode(self.archive[index][0], Image.BICUBIC)

    def _mask(self, index):
        return decode(self.archive[index][1], Image.NEAREST)

    def fit_stats(self):
        stack = np.stack([self._image(i) for i in range(len(self))]) / 255.0
        self.mean = stack.mean((0, 1, 2)).astype(np.float32)
        self.std = stack.std((0, 1, 2)).astype(np.float32)

    def _photometric(self, image):
        gain = self.rng.uniform(0.85, 1.15)
        gamma = self.rng.uniform(0.9, 1.1)
        out = np.empty(image.shape, np.float32)
        for row in range(image.shape[0]):
            for col in range(image.shape[1]):
                out[row, col] = np.minimum(1.0, gain * image[row, col] ** gamma)
        return out

    def __getitem__(self, index):
        image = self._image(index).astype(np.float32) / 255.0
        mask = self._mask(index)
        weight = border_weight(mask)
        if self.augment:
            image = self._photometric(image)
            if self.rng.random() < 0.5:
                image, mask, weight = image[:, ::-1], mask[:, ::-1], weight[:, ::-1]
        image = (image - self.mean) / self.std
        return (
            torch.from_numpy(np.ascontiguousarray(image.transpose(2, 0, 1))).float(),
            torch.from_numpy(mask.astype(np.int64)),
            torch.from_numpy(np.ascontiguousarray(weight)),
        )


def make_loader(dataset, batch_size, shuffle):
    dataset.fit_stats()
    return DataLoader(dataset, batch_size=batch_size, shuffle=shuffle)
