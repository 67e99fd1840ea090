"""Pre-train a music tagger on log-mel excerpts with Lightning, on all GPUs of the node.

Config is a YAML file; see configs/tagger.yaml. Missing keys take the defaults below.
"""
import sys
from pathlib import Path

import lightning as L
import numpy as np
import torch
import yaml
from lightning.pytorch.callbacks import LearningRateMonitor, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, Dataset

DEFAULTS = {
    "data": {"root": "data/excerpts", "batch_size": 64, "workers": 8},
    "model": {"tags": 50, "dim": 256, "depth": 6, "heads": 8, "mels": 96, "frames": 512},
    "optim": {"lr": 5e-4, "weight_decay": 0.05, "warmup": 0.05},
    "trainer": {
        "accelerator": "gpu",
        "devices": -1,
        "strategy": "ddp_find_unused_parameters_true",
        "precision": "bf16-mixed",
        "max_epochs": 60,
        "gradient_clip_val": 1.0,
    },
}


def load_config(path):
    given = yaml.safe_load(Path(path).read_text()) or {}
    return {section: values | given.get(section, {}) for section, values in DEFAULTS.items()}


class Excerpts(Dataset):
    """`ROOT/SPLIT/*.npz` with `mel` (frames, mels) float16 and `tags` (tags,) uint8."""

    def __init__(self, root, split, frames):
        self.files = sorted(Path(root, split).glob("*.npz"))
        self.frames = frames

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        with np.load(self.files[index]) as item:
            mel, tags = item["mel"][: self.frames], item["tags"]
        mel = np.pad(mel, ((0, self.frames - len(mel)), (0, 0)))
        return torch.from_numpy(mel).float(), torch.from_numpy(tags).float()


class ExcerptData(L.LightningDataModule):
    def __init__(self, root, batch_size, workers, frames):
        super().__init__()
        self.root, self.frames = root, frames
        self.options = dict(
            batch_size=batch_size, num_workers=workers, pin_memory=True, persistent_workers=workers > 0
        )

    def train_dataloader(self):
        return DataLoader(Excerpts(self.root, "train", self.frames), shuffle=True, drop_last=True, **self.options)

    def val_dataloader(self):
        return DataLoader(Excerpts(self.root, "valid", self.frames), **self.options)


class Tagger(L.LightningModule):
    def __init__(self, tags, dim, depth, heads, mels, frames, optim):
        super().__init__()
        self.save_hyperparameters()
        self.stem = nn.Conv1d(mels, dim, kernel_size=4, stride=4)
        self.position = nn.Parameter(torch.zeros(1, frames // 4, dim))
        layer = nn.TransformerEncoderLayer(
            dim, heads, 4 * dim, dropout=0.1, activation="gelu", batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, depth, norm=nn.LayerNorm(dim), enable_nested_tensor=False)
        self.head = nn.Linear(dim, tags)
        self.loss = nn.BCEWithLogitsLoss()

    def forward(self, mel):
        x = self.stem(mel.transpose(1, 2)).transpose(1, 2) + self.position
        return self.head(self.encoder(x).mean(dim=1))

    def training_step(self, batch, _):
        mel, tags = batch
        loss = self.loss(self(mel), tags)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, _):
        mel, tags = batch
        self.log("val_loss", self.loss(self(mel), tags), prog_bar=True, sync_dist=True)

    def configure_optimizers(self):
        o = self.hparams.optim
        optimizer = torch.optim.AdamW(self.parameters(), lr=o["lr"], weight_decay=o["weight_decay"])
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, o["lr"], total_steps=self.trainer.estimated_stepping_batches, pct_start=o["warmup"]
        )
        return [optimizer], [{"scheduler": schedule, "interval": "step"}]


def main(path):
    cfg = load_config(path)
    L.seed_everything(1, workers=True)
    torch.set_float32_matmul_precision("high")
    callbacks = [ModelCheckpoint(monitor="val_loss", save_last=True), LearningRateMonitor("step")]
    trainer = L.Trainer(callbacks=callbacks, **cfg["trainer"])
    trainer.fit(Tagger(optim=cfg["optim"], **cfg["model"]), ExcerptData(frames=cfg["model"]["frames"], **cfg["data"]))


if __name__ == "__main__":
    main(sys.argv[1])
