"""Patches of cell images, and what is done to each before training."""

import torch


def standardise(patch):
    patch = patch.float() / 255
    patch = (patch - patch.mean()) / (patch.std() + 1e-5)
    return patch.clamp(-2, 2)


class PatchBatches:
    """Batches of standardised patches with their labels."""

    def __init__(self, patches, labels, size):
        self.patches, self.labels, self.size = patches, labels, size

    def __iter__(self):
        for first in range(0, len(self.patches), self.size):
            members = range(first, min(first + self.size, len(self.patches)))
            rows = []
            for member in members:
                rows.append(standardise(self.patches[member]))  # finding
            yield torch.stack(rows), self.labels[first : first + self.size]
