"""Monocular depth estimation with Lightning."""
import argparse
from pathlib import Path

import lightning as L
import numpy as np
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import LearningRateMonitor, ModelCheckpoint
from torch.utils.data import DataLoader, Dataset
from transformers import AutoModelForDepthEstimation


class DepthFrames(Dataset):
    def __init__(self, root):
        self.files = sorted(Path(root).rglob("*.npz"))

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        with np.load(self.files[i]) as z:
            rgb = torch.from_numpy(z["rgb"]).permute(2, 0, 1).float() / 255
            return rgb, torch.from_numpy(z["depth"])


class DepthData(L.LightningDataModule):
    def __init__(self, root, batch_size, workers=8):
        super().__init__()
        self.root, self.batch_size, self.workers = Path(root), batch_size, workers

    def _loader(self, split, shuffle):
        return DataLoader(
            DepthFrames(self.root / split), self.batch_size, shuffle=shuffle, drop_last=shuffle,
            num_workers=self.workers, pin_memory=True, persistent_workers=True,
        )

    def train_dataloader(self):
        return self._loader("train", True)

    def val_dataloader(self):
        return self._loader("val", False)


class DepthModule(L.LightningModule):
    def __init__(self, name="depth-anything/Depth-Anything-V2-Small-hf", lr=5e-5):
        super().__init__()
        self.save_hyperparameters()
        self.net = AutoModelForDepthEstimation.from_pretrained(name)

    def _loss(self, batch):
        rgb, depth = batch
        pred = self.net(pixel_values=rgb).predicted_depth
        pred = F.interpolate(pred[:, None], depth.shape[-2:], mode="bilinear")[:, 0]
        mask = depth > 0
        err = (torch.log(pred.clamp(min=1e-3)) - torch.log(depth.clamp(min=1e-3))) * mask
        n = mask.sum((1, 2)).clamp(min=1)
        mean, square = err.sum((1, 2)) / n, (err**2).sum((1, 2)) / n
        return (square - 0.85 * mean**2).clamp(min=0).sqrt().mean()

    def training_step(self, batch, batch_idx):
        loss = self._loss(batch)
        self.log("train/silog", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val/silog", self._loss(batch), sync_dist=True, prog_bar=True)

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, fused=True)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, self.trainer.max_epochs)
        return [opt], [sched]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root")
    ap.add_argument("--epochs", type=int, default=25)
    ap.add_argument("--batch-size", type=int, default=16)
    args = ap.parse_args()
    L.seed_everything(3)
    trainer = L.Trainer(
        max_epochs=args.epochs,
        accelerator="gpu",
        devices=1,
        precision="bf16-mixed",
        gradient_clip_val=1.0,
        log_every_n_steps=50,
        callbacks=[LearningRateMonitor(), ModelCheckpoint(monitor="val/silog", save_top_k=1)],
    )
    trainer.fit(DepthModule(), datamodule=DepthData(args.root, args.batch_size))


if __name__ == "__main__":
    main()
