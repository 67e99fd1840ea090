import numpy as np
import pandas as pd
import torch
from torch.utils.data import Dataset

from audio import highpass, load_clip, log_mel


class SoundscapeDataset(Dataset):
    def __init__(self, csv, root, duration=5.0, train=True):
        self.df = pd.read_csv(csv)
        self.root = root
        self.duration = duration
        self.train = train
        self.species = sorted(self.df.primary_label.unique())
        self.index = {s: i for i, s in enumerate(self.species)}
        counts = self.df.primary_label.value_counts()
        self.counts = np.array([counts[s] for s in self.species])

    def __len__(self):
        return len(self.df)

    def __getitem__(self, i):
        row = self.df.iloc[i]
        offset = np.random.uniform(0, max(0.0, row.length - self.duration)) if self.train else 0.0
        clip = load_clip(f"{self.root}/{row.filename}", offset, self.duration)
        mel = log_mel(highpass(clip))
        mel = (mel - mel.mean()) / (mel.std() + 1e-6)
        target = torch.zeros(len(self.species))
        target[self.index[row.primary_label]] = 1.0
        return torch.from_numpy(mel).float().unsqueeze(0), target

    def class_weights(self):
        w = 1.0 / np.sqrt(self.counts)
        return torch.from_numpy(w / w.mean()).float()
