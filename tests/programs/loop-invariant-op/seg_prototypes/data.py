import pathlib

import torch
from torch.utils.data import Dataset


class Tiles(Dataset):
    def __init__(self, root, split):
        self.files = sorted(pathlib.Path(root, split).glob("*.pt"))

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return torch.load(self.files[index])

    def whole(self):
        rows = [self[i] for i in range(len(self))]
        images = torch.stack([row[0] for row in rows])
        labels = torch.stack([row[1] for row in rows])
        return images, torch.nn.functional.one_hot(labels).movedim(-1, 1).float()
