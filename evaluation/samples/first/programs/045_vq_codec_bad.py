"""Vector-quantised autoencoder for accelerometer data."""
import argparse

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Windows(Dataset):
    def __init__(self, path):
        self.x = np.load(path, mmap_mode="r")

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return torch.from_numpy(self.x[i].astype(np.float32))


def stack(chans, up=False):
    layers = []
    for a, b in zip(chans, chans[1:]):
        conv = nn.ConvTranspose1d if up else nn.Conv1d
        layers += [conv(a, b, 4, stride=2, padding=1), nn.GELU()]
    return nn.Sequential(*layers[:-1])


class Quantizer(nn.Module):
    def __init__(self, codes, dim, warmup):
        super().__init__()
        self.book = nn.Parameter(torch.randn(codes, dim) * 0.1)
        self.warmup = warmup
        self.calls = 0

    def forward(self, z):
        flat = z.transpose(1, 2)
        d = torch.cdist(flat, self.book.expand(flat.size(0), -1, -1))
        idx = d.argmin(-1)
        q = F.embedding(idx, self.book)
        commit = F.mse_loss(flat, q.detach()) + F.mse_loss(q, flat.detach())
        if self.training:
            self.calls += 1
        mix = min(1.0, self.calls / self.warmup)
        out = flat + mix * (q - flat).detach()
        return out.transpose(1, 2), commit, idx


class Codec(nn.Module):
    def __init__(self, channels, dim=128, codes=1024, warmup=5000):
        super().__init__()
        self.enc = stack([channels, 64, 128, dim])
        self.vq = Quantizer(codes, dim, warmup)
        self.dec = stack([dim, 128, 64, channels], up=True)

    def forward(self, x):
        q, commit, _ = self.vq(self.enc(x))
        return self.dec(q), commit


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("windows")
    ap.add_argument("--epochs", type=int, default=40)
    ap.add_argument("--batch-size", type=int, default=512)
    ap.add_argument("--beta", type=float, default=0.25)
    args = ap.parse_args()

    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda")
    ds = Windows(args.windows)
    loader = DataLoader(
        ds, args.batch_size, shuffle=True, drop_last=True,
        num_workers=4, pin_memory=True, persistent_workers=True,
    )
    model = Codec(ds.x.shape[1]).to(device)
    run = torch.compile(model)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    step = 0
    for epoch in range(args.epochs):
        model.train()
        for batch in loader:
            batch = batch.to(device, non_blocking=True)
            rec, commit = run(batch)
            loss = F.l1_loss(rec, batch) + args.beta * commit
            opt.zero_grad()
            loss.backward()
            opt.step()
            if step % 200 == 0:
                print(f"epoch {epoch} step {step} loss {loss.item():.4f}")
            step += 1
    torch.save(model.state_dict(), "codec.pt")


if __name__ == "__main__":
    main()
