"""Train a land-cover classifier on satellite tiles."""
import tempfile
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from bookkeeping import Ema, RunLog, confusion, save_checkpoint
from data import BANDS, CLASSES, TileDataset, write_shards
from feeder import BatchFeeder
from model import TileNet

EPOCHS = 6
BATCH = 16


def make_loader(ds, train):
    return DataLoader(ds, batch_size=BATCH, shuffle=train, num_workers=2)


class HardExamples:
    """Remember the tiles the model gets wrong, to inspect after the run."""

    def __init__(self):
        self.items = []

    def add(self, x, losses):
        keep = losses > losses.median()
        self.items.append((x, keep, losses))


def train_epoch(model, ema, loader, opt, log, hard, step, ckpt):
    model.train()
    for x, y in BatchFeeder(loader):
        opt.zero_grad()
        losses = F.cross_entropy(model(x), y, reduction="none")
        losses.mean().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        ema.update(model)
        hard.add(x, losses)
        log.write(step, model, losses.mean().item())
        if step % 4 == 0:
            save_checkpoint(ckpt, step, model, ema, opt)
        step += 1
    return step


def evaluate(model, loader):
    model.eval()
    logits, targets = [], []
    for x, y in loader:
        logits.append(model(x))
        targets.append(y)
    logits, targets = torch.cat(logits), torch.cat(targets)
    cm = confusion(logits.argmax(1), targets, CLASSES)
    return F.cross_entropy(logits, targets).item(), (cm.diag().sum() / cm.sum()).item()


def main():
    torch.manual_seed(0)
    np.random.seed(0)
    with tempfile.TemporaryDirectory() as root:
        n = write_shards(root)
        order = np.random.permutation(n).tolist()
        train_ds = TileDataset(root, order[: n * 3 // 4])
        val_ds = TileDataset(root, order[n * 3 // 4:], train=False)
        train_dl, val_dl = make_loader(train_ds, True), make_loader(val_ds, False)
        model = TileNet(BANDS, CLASSES)
        ema = Ema(model)
        opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
        log, hard = RunLog(f"{root}/train.json"), HardExamples()
        step = 0
        for epoch in range(EPOCHS):
            t0 = time.time()
            step = train_epoch(model, ema, train_dl, opt, log, hard, step, f"{root}/last.pt")
            loss, acc = evaluate(ema.model, val_dl)
            print(f"epoch {epoch}: step {step} val {loss:.3f} acc {acc:.3f} "
                  f"({time.time() - t0:.1f}s)", flush=True)
        print("hard examples:", sum(int(k.sum()) for _, k, _ in hard.items))


if __name__ == "__main__":
    main()
