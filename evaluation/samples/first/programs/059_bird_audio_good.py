"""Bird species classification from log-mel spectrograms."""
import argparse
from collections import defaultdict

import numpy as np
import timm
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from tqdm.auto import tqdm


class Spectrograms(Dataset):
    def __init__(self, prefix):
        self.x = np.load(f"{prefix}_x.npy", mmap_mode="r")
        self.y = np.load(f"{prefix}_y.npy")

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return torch.from_numpy(self.x[i].astype(np.float32))[None], int(self.y[i])


def mixup(x, y, classes, alpha):
    lam = float(np.random.beta(alpha, alpha))
    perm = torch.randperm(x.size(0), device=x.device)
    target = nn.functional.one_hot(y, classes).float()
    return lam * x + (1 - lam) * x[perm], lam * target + (1 - lam) * target[perm]


class Runner:
    def __init__(self, classes, lr, total):
        self.device = torch.device("cuda")
        self.classes = classes
        net = timm.create_model("tf_efficientnetv2_b0", pretrained=True, in_chans=1, num_classes=classes)
        self.net = net.to(self.device, memory_format=torch.channels_last)
        self.criterion = nn.CrossEntropyLoss(label_smoothing=0.05)
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=lr, weight_decay=0.02, fused=True)
        self.sched = torch.optim.lr_scheduler.OneCycleLR(self.opt, lr, total_steps=total)

    def move(self, x, y):
        x = x.to(self.device, non_blocking=True, memory_format=torch.channels_last)
        return x, y.to(self.device, non_blocking=True)

    def epoch(self, loader):
        self.net.train()
        stats = defaultdict(lambda: torch.zeros((), device=self.device))
        bar = tqdm(loader)
        for n, batch in enumerate(bar, 1):
            x, y = self.move(*batch)
            mixed, target = mixup(x, y, self.classes, 0.4)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                logits = self.net(mixed)
                loss = self.criterion(logits, target)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.sched.step()
            stats["loss"] += loss.detach()
            stats["acc"] += (logits.argmax(1) == y).float().mean()
            if n % 100 == 0:
                bar.set_postfix({k: f"{v.item() / n:.4f}" for k, v in stats.items()})
        return {k: v.item() / len(loader) for k, v in stats.items()}

    @torch.inference_mode()
    def test(self, loader):
        self.net.eval()
        hits = torch.zeros((), device=self.device)
        for batch in loader:
            x, y = self.move(*batch)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                hits += (self.net(x).argmax(1) == y).sum()
        return hits.item() / len(loader.dataset)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("prefix")
    ap.add_argument("--classes", type=int, default=206)
    ap.add_argument("--epochs", type=int, default=30)
    ap.add_argument("--batch-size", type=int, default=64)
    args = ap.parse_args()
    opts = dict(batch_size=args.batch_size, num_workers=8, pin_memory=True, persistent_workers=True)
    train = DataLoader(Spectrograms(args.prefix + "/train"), shuffle=True, drop_last=True, **opts)
    test = DataLoader(Spectrograms(args.prefix + "/test"), **opts)
    runner = Runner(args.classes, 1e-3, args.epochs * len(train))
    for epoch in range(args.epochs):
        print(epoch, runner.epoch(train), f"test {runner.test(test):.4f}")


if __name__ == "__main__":
    main()
