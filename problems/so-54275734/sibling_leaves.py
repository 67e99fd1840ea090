"""Scans of leaves, as tensors."""

from pathlib import Path

import numpy as np
import torch


def load_leaves(folder):
    leaves, sick = [], []
    for path in sorted(Path(folder).glob("*.npy")):
        leaves.append(torch.from_numpy(np.load(path)).float())
        sick.append(int(path.stem.split("_")[1]))
    return torch.stack(leaves), torch.tensor(sick)  # finding
