from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch.utils.data import DataLoader, Dataset

from features import log_mel, read_wav


class CallDataset(Dataset):
    """Clips of one split; training clips are cropped at random and mixed with background."""

    def __init__(self, root: Path, split, audio, cfg):
        self.root = Path(root)
        self.split = split
        self.audio = audio
        self.cfg = cfg
        self.epoch = 0
        self.table = pd.read_csv(self.root / "metadata.csv")
        self.ids = self.table[self.table.split == split].clip_id.tolist()

    def __len__(self):
        return len(self.ids)

    def set_epoch(self, epoch):
        self.epoch = epoch

    def _lookup(self, clip_id):
        row = self.table[(self.table.clip_id == clip_id) & (self.table.split == self.split)].iloc[0]
        return float(row.gain_db), int(row.label)

    def _add_background(self, signal, rng):
        background = read_wav(self.root / "background.wav")
        start = int(rng.integers(0, len(background) - len(signal)))
        level = rng.uniform(0.3, 1.0)
        return signal + level * background[start : start + len(signal)]

    def _crop(self, signal, rng):
        spare = len(signal) - self.audio.clip_len
        start = spare // 2 if rng is None else int(rng.integers(0, spare + 1))
        return signal[start : start + self.audio.clip_len]

    def __getitem__(self, i):
        clip_id = self.ids[i]
        gain_db, label = self._lookup(clip_id)
        signal = read_wav(self.root / "clips" / f"{clip_id}.wav")
        signal = signal * 10 ** (-gain_db / 20)
        if self.split == "train":
            rng = np.random.default_rng((self.cfg.seed, self.epoch, i))
            signal = self._crop(signal, rng)
            if rng.random() < self.cfg.noise_prob:
                signal = self._add_background(signal, rng)
        else:
            signal = self._crop(signal, None)
        features = log_mel(signal, self.audio)
        return features, label


def collate(batch):
    x = torch.tensor([features.tolist() for features, _ in batch])
    y = torch.tensor([label for _, label in batch])
    return x.unsqueeze(1), y


def class_weights(dataset, n_classes):
    """Inverse frequency, so that rare species count as much as common ones."""
    counts = torch.zeros(n_classes)
    for i in range(len(dataset)):
        _, label = dataset[i]
        counts[label] += 1
    return counts.sum() / (n_classes * counts.clamp(min=1))


def make_loaders(train_set, val_set, cfg):
    generator = torch.Generator().manual_seed(cfg.seed)
    train = DataLoader(
        train_set, cfg.batch_size, shuffle=True, collate_fn=collate, generator=generator, drop_last=True
    )
    val = DataLoader(val_set, cfg.batch_size, collate_fn=collate)
    return train, val
