"""Handwritten line recognition: CNN + LSTM with CTC."""
import argparse
import json
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Lines(Dataset):
    def __init__(self, folder, alphabet):
        self.files = sorted(Path(folder).glob("*.npz"))
        self.code = {c: i + 1 for i, c in enumerate(alphabet)}

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        with np.load(self.files[i]) as z:
            image = torch.from_numpy(z["image"]).float().div(255)[None]
            text = [self.code[c] for c in str(z["text"]) if c in self.code]
        return image, torch.tensor(text), len(text)


def collate(items):
    images, texts, lengths = zip(*items)
    return torch.stack(images), torch.cat(texts), torch.tensor(lengths)


class Recognizer(nn.Module):
    def __init__(self, symbols):
        super().__init__()
        chans = [1, 64, 128, 256, 256]
        self.cnn = nn.Sequential(*[m for a, b in zip(chans, chans[1:]) for m in self.stage(a, b)])
        self.rnn = nn.LSTM(256 * 4, 384, num_layers=2, bidirectional=True, batch_first=True, dropout=0.3)
        self.out = nn.Linear(768, symbols + 1)

    @staticmethod
    def stage(a, b):
        pool = (2, 2) if b < 256 else (2, 1)
        return nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(), nn.MaxPool2d(pool)

    def forward(self, x):
        h = self.cnn(x).flatten(1, 2).transpose(1, 2)
        return self.out(self.rnn(h)[0]).log_softmax(-1)


class Experiment:
    def __init__(self, symbols, lr=1e-3):
        self.device = torch.device("cuda")
        self.model = Recognizer(symbols).to(self.device)
        self.ctc = nn.CTCLoss(zero_infinity=True)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=lr, fused=True)

    def loss(self, batch):
        images, texts, lengths = (t.to(self.device, non_blocking=True) for t in batch)
        logp = self.model(images).transpose(0, 1)
        steps = torch.full((logp.size(1),), logp.size(0), dtype=torch.long, device=self.device)
        return self.ctc(logp, texts, steps, lengths)

    def train_epoch(self, loader):
        self.model.train()
        for batch in loader:
            loss = self.loss(batch)
            self.opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
            self.opt.step()

    @torch.inference_mode()
    def validate(self, loader):
        self.model.eval()
        losses = []
        for batch in loader:
            losses.append(self.loss(batch))
        return torch.stack(losses).mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root", type=Path)
    ap.add_argument("--epochs", type=int, default=80)
    ap.add_argument("--batch-size", type=int, default=48)
    args = ap.parse_args()
    alphabet = json.loads((args.root / "alphabet.json").read_text())
    opts = dict(batch_size=args.batch_size, num_workers=8, pin_memory=True, persistent_workers=True, collate_fn=collate)
    train = DataLoader(Lines(args.root / "train", alphabet), shuffle=True, drop_last=True, **opts)
    valid = DataLoader(Lines(args.root / "valid", alphabet), **opts)
    exp = Experiment(len(alphabet))
    for epoch in range(args.epochs):
        exp.train_epoch(train)
        print(f"epoch {epoch}: valid ctc {exp.validate(valid):.4f}")


if __name__ == "__main__":
    main()
