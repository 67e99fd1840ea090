from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Schedule:
    steps: int = 1000
    beta_start: float = 1e-4
    beta_end: float = 0.02

    def betas(self, device):
        return torch.linspace(self.beta_start, self.beta_end, self.steps, device=device)

    def alphas_bar(self, device):
        return torch.cumprod(1.0 - self.betas(device), dim=0)
