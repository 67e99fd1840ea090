"""Surface defect classification, Lightning."""
import argparse
from pathlib import Path

import lightning as L
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision import models
from torchvision.io import ImageReadMode, read_image
from torchvision.transforms import v2


class DefectImages(Dataset):
    def __init__(self, csv, root, tf):
        frame = pd.read_csv(csv)
        self.names = frame["file"].to_numpy(dtype="U")
        self.labels = torch.as_tensor(frame["label"].to_numpy())
        self.root, self.tf = Path(root), tf

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        img = read_image(str(self.root / self.names[i]), ImageReadMode.RGB)
        return self.tf(img), self.labels[i]


class DefectData(L.LightningDataModule):
    def __init__(self, root, workers=8):
        super().__init__()
        self.root, self.workers = Path(root), workers

    def setup(self, stage=None):
        norm = [v2.ToDtype(torch.float32, scale=True),
                v2.Normalize([0.5] * 3, [0.25] * 3)]
        aug = v2.Compose([v2.RandomResizedCrop(224), v2.RandomHorizontalFlip(), *norm])
        plain = v2.Compose([v2.Resize((224, 224)), *norm])
        self.train_set = DefectImages(self.root / "train.csv", self.root, aug)
        self.val_set = DefectImages(self.root / "val.csv", self.root, plain)

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=128, shuffle=True,
                          num_workers=self.workers, pin_memory=True,
                          persistent_workers=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=256, num_workers=self.workers,
                          pin_memory=True, persistent_workers=True)


class Classifier(L.LightningModule):
    def __init__(self, classes, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = models.convnext_tiny(weights="DEFAULT")
        self.net.classifier[2] = nn.Linear(768, classes)

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, _):
        x, y = batch
        loss = nn.functional.cross_entropy(self(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        acc = (self(x).argmax(1) == y).float().mean()
        self.log("val_acc", acc, prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("root")
    p.add_argument("--classes", type=int, default=6)
    p.add_argument("--epochs", type=int, default=15)
    args = p.parse_args()
    torch.set_float32_matmul_precision("high")
    trainer = L.Trainer(max_epochs=args.epochs, precision="bf16-mixed", devices=1,
                        accelerator="gpu")
    trainer.fit(Classifier(args.classes), datamodule=DefectData(args.root))


if __name__ == "__main__":
    main()
