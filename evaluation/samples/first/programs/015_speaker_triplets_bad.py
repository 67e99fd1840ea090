"""Speaker embedding network with batch-hard triplet loss."""
import argparse

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Utterances(Dataset):
    def __init__(self, prefix):
        self.mel = np.load(f"{prefix}_mel.npy", mmap_mode="r")
        self.speaker = np.load(f"{prefix}_speaker.npy")

    def __len__(self):
        return len(self.speaker)

    def __getitem__(self, i):
        return torch.from_numpy(self.mel[i].astype(np.float32)), int(self.speaker[i])


class SpeakerNet(nn.Module):
    def __init__(self, mels=80, dim=192):
        super().__init__()
        chans = [mels, 256, 256, 512]
        self.convs = nn.Sequential(
            *[
                nn.Sequential(
                    nn.Conv1d(a, b, 5, padding=2, bias=False), nn.BatchNorm1d(b), nn.ReLU(inplace=True)
                )
                for a, b in zip(chans, chans[1:])
            ]
        )
        self.head = nn.Linear(2 * chans[-1], dim)

    def forward(self, x):
        h = self.convs(x)
        h = torch.cat([h.mean(-1), h.std(-1)], dim=1)
        return F.normalize(self.head(h), dim=1)


class BatchHard(nn.Module):
    def __init__(self, margin=0.3):
        super().__init__()
        self.margin = margin

    def distances(self, emb):
        n = emb.size(0)
        d = emb.new_zeros(n, n)
        for i in range(n):
            for j in range(n):
                d[i, j] = torch.sqrt(((emb[i] - emb[j]) ** 2).sum() + 1e-12)
        return d

    def forward(self, emb, speaker):
        d = self.distances(emb.float())
        same = speaker[:, None] == speaker[None, :]
        hardest_pos = d.masked_fill(~same, 0.0).amax(1)
        hardest_neg = d.masked_fill(same, 4.0).amin(1)
        return F.relu(hardest_pos - hardest_neg + self.margin).mean()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("features")
    ap.add_argument("--epochs", type=int, default=40)
    ap.add_argument("--batch-size", type=int, default=256)
    args = ap.parse_args()

    device = torch.device("cuda")
    loader = DataLoader(
        Utterances(args.features), args.batch_size, shuffle=True, drop_last=True,
        num_workers=4, pin_memory=True, persistent_workers=True,
    )
    net = SpeakerNet().to(device)
    criterion = BatchHard()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.05, fused=True)
    step = 0
    for epoch in range(args.epochs):
        for mel, speaker in loader:
            mel = mel.to(device, non_blocking=True)
            speaker = speaker.to(device, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                emb = net(mel)
            loss = criterion(emb, speaker)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 100 == 0:
                print(f"{epoch} {step} {loss.item():.4f}")
            step += 1
    torch.save(net.state_dict(), "speaker.pt")


if __name__ == "__main__":
    main()
