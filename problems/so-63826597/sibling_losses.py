"""A loss for spectra: how far each predicted curve is from the true one, up to scale."""

import torch
from torch import nn


class ShapeLoss(nn.Module):
    def forward(self, predicted, true):
        total = torch.zeros(())
        for row in range(predicted.shape[0]):
            likeness = torch.cosine_similarity(predicted[row], true[row], dim=0)  # finding
            total = total + (1 - likeness)
        return total / predicted.shape[0]
