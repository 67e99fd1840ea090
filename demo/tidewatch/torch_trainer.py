"""The PyTorch model on spectra."""

from __future__ import annotations

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

from tidewatch import spectral
from tidewatch.settings import Settings
from tidewatch.synthetic import windows

FREQUENCIES = 12


class SpectralForecaster(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.head = torch.nn.Sequential(
            torch.nn.Linear(FREQUENCIES, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1)
        )

    def forward(self, spectra: torch.Tensor) -> torch.Tensor:
        return self.head(spectra).squeeze(-1)


def loader(levels: dict[str, np.ndarray], settings: Settings) -> DataLoader:
    pairs = [windows(series, settings.window) for series in levels.values()]
    past = torch.from_numpy(np.concatenate([past for past, _ in pairs]))
    following = torch.from_numpy(np.concatenate([following for _, following in pairs]))
    order = torch.Generator().manual_seed(settings.seed)
    return DataLoader(
        TensorDataset(past, following), settings.batch_size, shuffle=True, generator=order
    )


def spread(batches: DataLoader) -> float:
    """The standard deviation of the levels that are to be forecast."""
    seen = np.array([])
    for _, following in batches:
        seen = np.append(seen, following.numpy())
    return float(seen.std())


def evaluate(model: SpectralForecaster, batches: DataLoader, settings: Settings) -> float:
    """The mean absolute error over `batches`, in metres."""
    basis = spectral.cosine_basis(settings.window, FREQUENCIES)
    model.eval()
    total = 0.0
    for past, following in batches:
        total += (model(past @ basis) - following).abs().mean().item()
    model.train()
    return total / len(batches)


def train(batches: DataLoader, settings: Settings) -> list[float]:
    """Returns the mean absolute error after each epoch."""
    torch.manual_seed(settings.seed)
    model = SpectralForecaster()
    optimizer = torch.optim.Adam(model.parameters(), settings.learning_rate)
    errors = []
    for _ in range(settings.epochs):
        for past, following in batches:
            basis = spectral.cosine_basis(settings.window, FREQUENCIES)
            loss = torch.nn.functional.mse_loss(model(past @ basis), following)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        errors.append(evaluate(model, batches, settings))
    return errors
