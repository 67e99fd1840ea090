"""Day-ahead load forecasting for a set of substations (Lightning)."""
import sys
from dataclasses import asdict, dataclass

import lightning as L
import numpy as np
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, Dataset

HISTORY, HORIZON = 168, 24


@dataclass
class TrainerSettings:
    max_epochs: int = 30
    accelerator: str = "auto"
    devices: int = 1
    gradient_clip_val: float = 1.0
    detect_anomaly: bool = False
    log_every_n_steps: int = 50


class LoadWindows(Dataset):
    def __init__(self, series):
        self.series = torch.from_numpy(series)  # [station, hour]
        self.per_station = series.shape[1] - HISTORY - HORIZON + 1

    def __len__(self):
        return self.series.shape[0] * self.per_station

    def __getitem__(self, i):
        station, start = divmod(i, self.per_station)
        cut = start + HISTORY
        row = self.series[station]
        return row[start:cut].unsqueeze(-1), row[cut : cut + HORIZON]


class LoadData(L.LightningDataModule):
    def __init__(self, path, batch_size=256, workers=4):
        super().__init__()
        self.path, self.batch_size, self.workers = path, batch_size, workers

    def setup(self, stage=None):
        series = np.load(self.path).astype(np.float32)
        cut = int(series.shape[1] * 0.85)
        mean = series[:, :cut].mean(axis=1, keepdims=True)
        std = series[:, :cut].std(axis=1, keepdims=True) + 1e-6
        series = (series - mean) / std
        self.train = LoadWindows(np.ascontiguousarray(series[:, :cut]))
        self.val = LoadWindows(np.ascontiguousarray(series[:, cut:]))

    def _loader(self, data, shuffle):
        return DataLoader(data, batch_size=self.batch_size, shuffle=shuffle, pin_memory=True,
                          num_workers=self.workers, persistent_workers=self.workers > 0)

    def train_dataloader(self):
        return self._loader(self.train, shuffle=True)

    def val_dataloader(self):
        return self._loader(self.val, shuffle=False)


class LoadForecaster(L.LightningModule):
    def __init__(self, hidden=128, layers=2, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.rnn = nn.GRU(1, hidden, num_layers=layers, batch_first=True, dropout=0.1)
        self.out = nn.Linear(hidden, HORIZON)

    def forward(self, history):
        states, _ = self.rnn(history)
        return self.out(states[:, -1])

    def training_step(self, batch, batch_idx):
        history, future = batch
        loss = nn.functional.smooth_l1_loss(self(history), future)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        history, future = batch
        self.log("val_mae", (self(history) - future).abs().mean(), prog_bar=True)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, self.trainer.max_epochs)
        return [optimizer], [schedule]


def main(path, settings=TrainerSettings()):
    L.seed_everything(17)
    keep = ModelCheckpoint(monitor="val_mae", mode="min")
    trainer = L.Trainer(**asdict(settings), callbacks=[keep])
    trainer.fit(LoadForecaster(), datamodule=LoadData(path))
    print("best:", keep.best_model_path)


if __name__ == "__main__":
    main(sys.argv[1])
