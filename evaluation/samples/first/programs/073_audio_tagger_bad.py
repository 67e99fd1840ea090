"""AudioSet-style tagging with a compiled conv net."""
import argparse

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class MelClips(Dataset):
    def __init__(self, prefix):
        self.mels = np.load(f"{prefix}_mels.npy", mmap_mode="r")
        self.tags = np.load(f"{prefix}_tags.npy", mmap_mode="r")

    def __len__(self):
        return len(self.mels)

    def __getitem__(self, i):
        mel = torch.from_numpy(np.array(self.mels[i], dtype=np.float32))
        return mel[None], torch.from_numpy(np.array(self.tags[i], dtype=np.float32))


class GainLimit(nn.Module):
    def __init__(self, channels, limit=6.0):
        super().__init__()
        self.limit = limit
        self.scale = nn.Parameter(torch.ones(channels, 1, 1))

    def forward(self, x):
        x = x * self.scale
        peak = x.abs().amax().item()
        if peak > self.limit:
            x = x * (self.limit / peak)
        return x


class Stage(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(cin, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout),
            nn.SiLU(), nn.Conv2d(cout, cout, 3, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(cout), nn.SiLU())
        self.gain = GainLimit(cout)

    def forward(self, x):
        return self.gain(self.body(x))


class Tagger(nn.Module):
    def __init__(self, tags, widths=(32, 64, 128, 256, 512)):
        super().__init__()
        dims = (1, *widths)
        self.stages = nn.Sequential(*[Stage(a, b) for a, b in zip(dims, dims[1:])])
        self.head = nn.Linear(widths[-1], tags)

    def forward(self, x):
        return self.head(self.stages(x).mean(dim=(2, 3)))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", default="clips/train")
    p.add_argument("--tags", type=int, default=527)
    p.add_argument("--epochs", type=int, default=30)
    args = p.parse_args()

    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda")
    loader = DataLoader(MelClips(args.data), batch_size=128, shuffle=True, num_workers=8,
                        pin_memory=True, persistent_workers=True, drop_last=True)
    model = Tagger(args.tags).to(device)
    net = torch.compile(model)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    for epoch in range(args.epochs):
        running = torch.zeros((), device=device)
        for mel, tags in loader:
            mel = mel.to(device, non_blocking=True)
            tags = tags.to(device, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = nn.functional.binary_cross_entropy_with_logits(net(mel), tags)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.detach()
        print(f"{epoch}: {running.item() / len(loader):.4f}")
    torch.save(model.state_dict(), "tagger.pt")


if __name__ == "__main__":
    main()
