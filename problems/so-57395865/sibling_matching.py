"""How well each atom of a template is found in a molecule."""

import torch
from torch import nn


class TemplateMatch(nn.Module):
    def __init__(self, atoms, width):
        super().__init__()
        self.template = nn.Parameter(torch.randn(width, atoms))

    def forward(self, molecules):
        matches = []
        for molecule in torch.unbind(molecules):
            closeness = torch.matmul(molecule, self.template)  # finding
            matches.append(closeness.amax(dim=0))
        return torch.stack(matches)
