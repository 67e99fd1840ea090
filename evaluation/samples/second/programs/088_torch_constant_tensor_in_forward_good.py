import argparse

import lightning as L
import numpy as np
import timm
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.transforms import v2


def inverse_frequency(targets, power=0.5):
    counts = np.bincount(targets)
    w = (counts.sum() / np.maximum(counts, 1)) ** power
    return (w / w.mean()).astype("float32")


class SkinClassifier(L.LightningModule):
    def __init__(self, arch, balance, lr):
        super().__init__()
        self.net = timm.create_model(arch, pretrained=True, num_classes=len(balance))
        self.register_buffer("balance", torch.from_numpy(balance))
        self.lr = lr

    def _loss(self, logits, y):
        return F.cross_entropy(logits.float(), y, weight=self.balance, label_smoothing=0.05)

    def training_step(self, batch, _):
        x, y = batch
        loss = self._loss(self.net(x), y)
        self.log("train/loss", loss)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        logits = self.net(x)
        self.log("val/loss", self._loss(logits, y), prog_bar=True)
        self.log("val/acc", (logits.argmax(-1) == y).float().mean(), prog_bar=True)

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.lr, weight_decay=0.05)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, self.trainer.max_epochs)
        return {"optimizer": opt, "lr_scheduler": sched}


class Lesions(L.LightningDataModule):
    def __init__(self, root, batch):
        super().__init__()
        self.batch = batch
        tail = [v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.5] * 3, [0.25] * 3)]
        self.train = ImageFolder(f"{root}/train", v2.Compose([v2.RandomResizedCrop(224), v2.TrivialAugmentWide()] + tail))
        self.val = ImageFolder(f"{root}/val", v2.Compose([v2.Resize(256), v2.CenterCrop(224)] + tail))

    def _loader(self, ds, shuffle):
        return DataLoader(
            ds, self.batch, shuffle=shuffle, num_workers=8, pin_memory=True, persistent_workers=True
        )

    def train_dataloader(self):
        return self._loader(self.train, True)

    def val_dataloader(self):
        return self._loader(self.val, False)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("root")
    ap.add_argument("--arch", default="convnextv2_nano")
    ap.add_argument("--batch", type=int, default=128)
    a = ap.parse_args()
    dm = Lesions(a.root, a.batch)
    model = SkinClassifier(a.arch, inverse_frequency(dm.train.targets), lr=3e-4)
    stop = L.pytorch.callbacks.EarlyStopping("val/loss", patience=6)
    L.Trainer(max_epochs=40, precision="bf16-mixed", callbacks=[stop]).fit(model, dm)
