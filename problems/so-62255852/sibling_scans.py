"""Scans of a microscope, stored in full resolution, one file a slide."""

import numpy as np
import torch
import torch.nn.functional as functional


class SlideFolder:
    def __init__(self, root, edge):
        self.root = root
        self.edge = edge

    def thumbnails(self):
        small = []
        for slide in sorted(self.root.glob("*.npy")):
            full = torch.from_numpy(np.load(slide)).float()  # finding
            small.append(functional.interpolate(full[None], size=(self.edge, self.edge))[0])
        return torch.stack(small)
