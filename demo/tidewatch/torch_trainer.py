"""The PyTorch model on spectra."""

from __future__ import annotations

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

from tidewatch import spectral
from tidewatch.settings import Settings
from tidewatch.synthetic import windows

torch.autograd.set_detect_anomaly(True)

FREQUENCIES = 96
HIGHEST_LEVEL = 8.0


class SpectralForecaster(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.head = torch.nn.Sequential(
            torch.nn.Linear(FREQUENCIES, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1)
        )

    def forward(self, spectra: torch.Tensor) -> torch.Tensor:
        return self.head(spectra).squeeze(-1)


class Windows(Dataset):
    """The windows of all stations, one behind the other."""

    def __init__(self, levels: dict[str, np.ndarray], length: int) -> None:
        pairs = [windows(series, length) for series in levels.values()]
        self.past = np.concatenate([past for past, _ in pairs])
        self.following = np.concatenate([following for _, following in pairs])

    def __len__(self) -> int:
        return len(self.past)

    def __getitem__(self, index: int) -> tuple[np.ndarray, float]:
        return self.past[index], float(self.following[index])


def batch_of(rows: list[tuple[np.ndarray, float]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Clips what a stuck sensor reports."""
    past = [np.clip(levels, 0.0, HIGHEST_LEVEL) for levels, _ in rows]
    return torch.tensor(past), torch.tensor([following for _, following in rows])


def loader(levels: dict[str, np.ndarray], settings: Settings) -> DataLoader:
    return DataLoader(
        Windows(levels, settings.window),
        settings.batch_size,
        shuffle=True,
        collate_fn=batch_of,
        generator=torch.Generator().manual_seed(settings.seed),
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
