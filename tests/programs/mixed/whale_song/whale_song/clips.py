"""Recordings of hydrophones, cut to clips of four seconds."""

import csv
import random
from dataclasses import dataclass
from pathlib import Path

import torch
import torchaudio
from torch.utils.data import IterableDataset, TensorDataset

RATE = 8_000
LENGTH = 4 * RATE


@dataclass
class Clip:
    path: Path
    species: int


def read_index(root: Path) -> list[Clip]:
    with open(root / "index.csv", newline="") as handle:
        return [Clip(root / row["file"], int(row["species"])) for row in csv.DictReader(handle)]


def fit_length(wave: torch.Tensor) -> torch.Tensor:
    if wave.shape[-1] >= LENGTH:
        return wave[..., :LENGTH]
    return torch.nn.functional.pad(wave, (0, LENGTH - wave.shape[-1]))


def load_all(root: Path) -> TensorDataset:
    """The whole training set as one tensor."""
    waves, labels = [], []
    for clip in read_index(root):
        wave, rate = torchaudio.load(clip.path)  # finding: read-per-item
        wave = torchaudio.functional.resample(wave, rate, RATE)
        waves.append(fit_length(wave.mean(0)))
        labels.append(clip.species)
    return TensorDataset(torch.stack(waves), torch.tensor(labels))


class Hydrophone(IterableDataset):
    """An endless stream of clips from long recordings, for the unsupervised part."""

    def __init__(self, recordings: list[Path]) -> None:
        self.recordings = recordings

    def __iter__(self):
        while True:
            path = random.choice(self.recordings)
            info = torchaudio.info(path)
            offset = random.randrange(0, max(1, info.num_frames - LENGTH))
            wave, _ = torchaudio.load(path, frame_offset=offset, num_frames=LENGTH)
            yield fit_length(wave.mean(0))
