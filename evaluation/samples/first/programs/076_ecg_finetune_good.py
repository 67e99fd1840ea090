"""Fine-tune a 1-D conv net on a small ECG set."""
import argparse
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Hparams:
    batch_size: int = 64
    workers: int = 8
    epochs: int = 300
    lr: float = 3e-4
    patience: int = 40


class EcgRecords(Dataset):
    def __init__(self, prefix, augment):
        self.signals = np.load(f"{prefix}_x.npy", mmap_mode="r")
        self.labels = np.load(f"{prefix}_y.npy")
        self.augment = augment

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        sig = np.array(self.signals[i], dtype=np.float32)
        if self.augment:
            sig = np.roll(sig, np.random.randint(-200, 200), axis=-1)
            sig *= np.random.uniform(0.8, 1.2)
        sig = (sig - sig.mean(-1, keepdims=True)) / (sig.std(-1, keepdims=True) + 1e-6)
        return torch.from_numpy(sig), int(self.labels[i])


class ConvNet(nn.Module):
    def __init__(self, leads=12, classes=5, width=64):
        super().__init__()
        blocks, c = [], leads
        for k in range(5):
            n = width * 2 ** min(k, 3)
            blocks += [nn.Conv1d(c, n, 7, stride=2, padding=3, bias=False),
                       nn.BatchNorm1d(n), nn.ReLU(inplace=True)]
            c = n
        self.body = nn.Sequential(*blocks)
        self.fc = nn.Linear(c, classes)

    def forward(self, x):
        return self.fc(self.body(x).mean(-1))


def loaders(prefix, hp):
    common = dict(batch_size=hp.batch_size, num_workers=hp.workers, pin_memory=True,
                  persistent_workers=True)
    train = DataLoader(EcgRecords(f"{prefix}/train", True), shuffle=True, **common)
    val = DataLoader(EcgRecords(f"{prefix}/val", False), **common)
    return train, val


@torch.inference_mode()
def accuracy(model, loader, device):
    model.eval()
    right = torch.zeros((), device=device)
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        right += (model(x).argmax(1) == y).sum()
    return right.item() / len(loader.dataset)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("prefix")
    p.add_argument("--init", default="ptbxl_pretrained.pt")
    args = p.parse_args()
    hp = Hparams()
    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda")
    model = ConvNet().to(device)
    model.load_state_dict(torch.load(args.init, map_location=device, weights_only=True))
    opt = torch.optim.AdamW(model.parameters(), lr=hp.lr, fused=True)
    train, val = loaders(args.prefix, hp)
    best, since = 0.0, 0
    for epoch in range(hp.epochs):
        model.train()
        for x, y in train:
            x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = nn.functional.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        acc = accuracy(model, val, device)
        best, since = (acc, 0) if acc > best else (best, since + 1)
        if since >= hp.patience:
            break
    print(f"best validation accuracy {best:.4f}")


if __name__ == "__main__":
    main()
